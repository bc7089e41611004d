import type { Effect } from "@haft/core/tool";
import type { Standpoint } from "../place/place.ts";
import { readInto } from "../place/place-effects.ts";
import { type Judgement, opaque } from "../reader/grammar.ts";
import { text } from "../word/value.ts";
import type { Argument, Cmdlet } from "./cmdlets.ts";
import { isComparison, isPlainCondition, isPlainProperty } from "./condition.ts";
import type { Fed, Given, PowerShellContext } from "./context.ts";
import { pathValue } from "./path.ts";

/** The place of a cmdlet. */
interface Place extends Omit<Standpoint, "home">, Pick<PowerShellContext, "home" | "platform"> {
  readonly before: readonly Fed[];
}

/** The reads of a cmdlet of the table with these arguments, or why it may do more. */
export function judgeCmdlet(cmdlet: Cmdlet, given: readonly Given[], place: Place): Judgement {
  const sorted = isShortCondition(cmdlet, given)
    ? { values: [], switches: new Set<string>() }
    : sortArguments(cmdlet, given);
  if (typeof sorted === "string") return opaque(sorted);
  const { values, switches } = sorted;
  const isDeep =
    cmdlet.deep !== undefined && (switches.has(cmdlet.deep) || values.some(({ name }) => name === "depth"));
  const effects: Effect[] = [];
  for (const one of values) {
    const problem = one.kind === "path" ? readPaths(effects, one, place, isDeep) : checkValue(cmdlet, one);
    if (problem !== undefined) return opaque(problem);
  }
  if (values.some(({ kind }) => kind === "path") || !cmdlet.parameters.has("literalpath")) return { effects };
  const problem = place.before.length > 0 ? readFed(effects, place.before, cmdlet) : undefined;
  if (problem !== undefined) return opaque(problem);
  const alone = cmdlet.alone ? readInto(effects, text("."), place, isDeep) : undefined;
  return alone === undefined ? { effects } : opaque(alone);
}

function readPaths(
  effects: Effect[],
  { name, value }: Sorted["values"][number],
  place: Place,
  deep: boolean,
): string | undefined {
  if ("block" in value) return "A path is computed.";
  for (const parts of value.words) {
    const path = pathValue(parts, place, name === "literalpath");
    const problem = typeof path === "string" ? path : readInto(effects, path, place, deep);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const FILES = /^(Get-ChildItem|Get-Item|Where-Object|Sort-Object|Get-Unique)$/;
const OBJECTS = /^(ConvertFrom-|Import-|Select-Object$|ForEach-Object$|Group-Object$)/;

/** Without a path a cmdlet takes its pipeline input: listed files, or any text or object that names one. */
function readFed(effects: Effect[], before: readonly Fed[], cmdlet: Cmdlet): string | undefined {
  if (before.every(({ name }) => FILES.test(name))) {
    for (const { effects: listed } of before)
      effects.push(...listed.map((one) => (one.do === "read" ? { ...one, tree: true as const } : one)));
    return undefined;
  }
  const isText = cmdlet.name === "Select-String" && !before.some(({ name }) => OBJECTS.test(name) || FILES.test(name));
  return isText ? undefined : "It is not known which files the pipeline names.";
}

interface Sorted {
  readonly values: readonly { readonly name: string; readonly kind: Argument; readonly value: Given }[];
  readonly switches: ReadonlySet<string>;
}

/** Sorts arguments as PowerShell binds them: named ones first, then the rest by position. Abbreviated names and colons are not accepted. */
function sortArguments(cmdlet: Cmdlet, given: readonly Given[]): Sorted | string {
  const values: Sorted["values"][number][] = [];
  const switches = new Set<string>();
  const left: Given[] = [];
  for (let index = 0; index < given.length; index++) {
    const name = parameterName(given[index]!);
    const kind = name === undefined ? undefined : cmdlet.parameters.get(name);
    if (name === undefined) left.push(given[index]!);
    else if (cmdlet.switches.has(name)) switches.add(name);
    else if (kind === undefined) return `The parameter -${name} is not among those known to change nothing.`;
    else {
      const value = given[++index];
      if (value === undefined || parameterName(value) !== undefined) return `-${name} lacks its argument.`;
      values.push({ name, kind, value });
    }
  }
  const isBound = (name: string) =>
    values.some((one) => one.name === name || (name === "path" && one.name === "literalpath"));
  const open = cmdlet.positions.filter((name) => !isBound(name));
  for (const [index, value] of left.entries()) {
    const name = open[cmdlet.repeats ? Math.min(index, open.length - 1) : index];
    if (name === undefined) return `${cmdlet.name} has more arguments than are known.`;
    values.push({ name, kind: cmdlet.parameters.get(name) ?? "text", value });
  }
  return { values, switches };
}

function parameterName(one: Given): string | undefined {
  if ("block" in one || one.words.length !== 1) return undefined;
  const [part, ...more] = one.words[0]!;
  if (part === undefined || part.quoted || part.unknown || !/^-[A-Za-z_?]/.test(part.text)) return undefined;
  return more.length > 0 ? "?" : part.text.slice(1).toLowerCase();
}

/** `Where-Object Length -gt 5`: a property, an operator, a plain value. */
function isShortCondition(cmdlet: Cmdlet, given: readonly Given[]): boolean {
  if (cmdlet.name !== "Where-Object" || given.length === 0 || given.length > 3) return false;
  const [property, operator, value] = given.map((one) =>
    "block" in one || one.words.length !== 1 ? undefined : one.text,
  );
  if (property === undefined || !/^[A-Za-z_]\w*$/.test(property)) return false;
  if (given.length === 1) return true;
  return given.length === 3 && isComparison(operator ?? "") && value !== undefined;
}

function checkValue(cmdlet: Cmdlet, { kind, value }: Sorted["values"][number]): string | undefined {
  if (kind === "text") return "block" in value ? "An argument is computed." : undefined;
  // Without a block ForEach-Object may call a method.
  if (!("block" in value)) return "It is not known what is done with each object.";
  const isPlain = cmdlet.name === "Where-Object" ? isPlainCondition(value.block) : isPlainProperty(value.block);
  return isPlain ? undefined : "A script block is not plain.";
}
