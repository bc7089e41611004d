import type { CompoundCommand, Redirected } from "unbash";
import { ANY_WORD, join as joinValues, sameValue, type Value } from "./word/value.ts";

/** The body of a shell function, or `unclear` when the name may or may not be one. */
export type FunctionBody = CompoundCommand | Redirected | "unclear";

/** The known state of the shell at one point of a script. Never changed, only replaced. */
export interface Scope {
  /** The text to which positions in the syntax tree refer. */
  readonly source: string;
  /** Possible working directories; absent when not known. */
  readonly folders: readonly string[] | undefined;
  /** Variables that the script itself set. */
  readonly variables: ReadonlyMap<string, Value>;
  readonly functions: ReadonlyMap<string, FunctionBody>;
  /** Positional parameters; absent when not known. */
  readonly args: readonly Value[] | undefined;
  /** Targets of a move or copy in this script: their current content says nothing about the time of the run. */
  readonly moved: readonly string[];
  /** Why nothing that follows can be proved: PATH was changed, a file was sourced. */
  readonly tainted: string | undefined;
}

/** The state that holds if the script may have come either way. An absent scope cannot be reached. */
export function joinScopes(a: Scope | undefined, b: Scope | undefined): Scope | undefined {
  if (a === b || b === undefined) return a;
  if (a === undefined) return b;
  return {
    source: a.source,
    folders: joinFolders(a.folders, b.folders),
    variables: joinMaps(a.variables, b.variables, ANY_WORD, joinValues),
    functions: joinMaps(a.functions, b.functions, "unclear", (one, other) => (one === other ? one : "unclear")),
    args: sameArgs(a.args, b.args) ? a.args : undefined,
    moved: a.moved === b.moved ? a.moved : [...new Set([...a.moved, ...b.moved])],
    tainted: a.tainted ?? b.tainted,
  };
}

/** Whether walking a loop once more would yield nothing new. */
export function sameScope(a: Scope | undefined, b: Scope | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return (
    sameList(a.folders, b.folders) &&
    a.tainted === b.tainted &&
    a.moved.length === b.moved.length &&
    sameArgs(a.args, b.args) &&
    sameMaps(a.variables, b.variables, sameValue) &&
    sameMaps(a.functions, b.functions, Object.is)
  );
}

export const withVariable = (scope: Scope, name: string, value: Value): Scope => ({
  ...scope,
  variables: new Map(scope.variables).set(name, value),
});

export const withTaint = (scope: Scope, why: string): Scope => (scope.tainted ? scope : { ...scope, tainted: why });

const MAX_FOLDERS = 4;

function joinFolders(a: Scope["folders"], b: Scope["folders"]): Scope["folders"] {
  if (a === undefined || b === undefined) return undefined;
  if (sameList(a, b)) return a;
  const both = [...new Set([...a, ...b])];
  return both.length <= MAX_FOLDERS ? both : undefined;
}

/** A name known on one path only may also still have its old content; `lonely` describes that content. */
function joinMaps<V>(a: ReadonlyMap<string, V>, b: ReadonlyMap<string, V>, lonely: V, either: (x: V, y: V) => V) {
  if (a === b) return a;
  const joined = new Map<string, V>();
  for (const [name, value] of a) {
    const other = b.get(name);
    joined.set(name, other === undefined ? lonely : either(value, other));
  }
  for (const name of b.keys()) if (!a.has(name)) joined.set(name, lonely);
  return joined;
}

function sameMaps<V>(a: ReadonlyMap<string, V>, b: ReadonlyMap<string, V>, same: (one: V, other: V) => boolean) {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other === undefined || !same(value, other)) return false;
  }
  return true;
}

function sameArgs(a: Scope["args"], b: Scope["args"]): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  return a.every((value, index) => sameValue(value, b[index]!));
}

function sameList(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && a.length === b.length && a.every((one, index) => one === b[index]);
}
