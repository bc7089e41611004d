import type { Hole, RuleRef, Workspace } from "../decision.ts";
import { type CommandPattern, compileCommand } from "../pattern/command-pattern.ts";
import type { Glob } from "../pattern/glob.ts";
import type { HostPattern } from "../pattern/host-pattern.ts";
import type { PathFold } from "../pattern/path-fold.ts";
import { type LocatedPattern, locatePattern } from "../pattern/path-pattern.ts";
import { anchorFolders } from "./anchor.ts";
import { type CommandIndex, indexCommands } from "./command-index.ts";
import { type HostIndex, indexHosts } from "./host-index.ts";
import { indexPaths, type PathIndex } from "./path-index.ts";
import type { PathWord, Subject } from "./rule.ts";

/** A parsed rule, with the reference that decisions use for it. */
export interface PlacedRule {
  readonly ref: RuleRef;
  readonly subject: Subject;
}

type On<Kind extends Subject["on"]> = Extract<Subject, { on: Kind }> & { readonly ref: RuleRef };
export type PathEntry = {
  readonly ref: RuleRef;
  readonly pattern: LocatedPattern;
  /** Matches an absolute, real path. */
  readonly matches: (path: string) => boolean;
};
export type CommandEntry = { readonly ref: RuleRef; readonly pattern: CommandPattern; readonly tool?: string };
export type HostEntry = { readonly ref: RuleRef; readonly pattern: HostPattern; readonly tool?: string };
export type TargetEntry = { readonly ref: RuleRef; readonly target: Glob };

/** The rules of one list, indexed so that a call meets only rules that could concern it. */
export interface RuleIndex {
  readonly byTool: ReadonlyMap<string, readonly RuleRef[]>;
  readonly toolGlobs: readonly On<"tools">[];
  readonly byServer: ReadonlyMap<string, readonly RuleRef[]>;
  readonly parameters: ReadonlyMap<string, readonly On<"parameter">[]>;
  readonly skills: ReadonlyMap<string, readonly On<"skill">[]>;
  /** How its path rules compare names. */
  readonly fold: PathFold;
  readonly paths: Readonly<Record<PathWord, PathIndex<PathEntry>>>;
  /** The holes that rules cut into a tree of which they mean parts. Computed once for a list that the index caches. */
  holes(parts: readonly PathEntry[], access: Hole["do"]): readonly Hole[];
  readonly commands: CommandIndex<CommandEntry>;
  /** Rules for PowerShell, in lower case, because case does not matter there. */
  readonly powershell: CommandIndex<CommandEntry>;
  readonly hosts: HostIndex<HostEntry>;
  readonly targets: { readonly send: readonly TargetEntry[]; readonly call: readonly TargetEntry[] };
  readonly agents: readonly On<"agent">[];
}

/** Indexes rules for one workspace. Costs one pass over the rules; later lookups do not depend on their number. */
export function indexRules(
  rules: readonly PlacedRule[],
  workspace: Workspace,
  fold: PathFold,
  currentFolders: readonly string[] = [workspace.cwd],
): RuleIndex {
  const on = <Kind extends Subject["on"]>(kind: Kind): On<Kind>[] =>
    rules.flatMap(({ ref, subject }) =>
      subject.on === kind ? [{ ...(subject as Extract<Subject, { on: Kind }>), ref }] : [],
    );
  const paths = on("path");
  const located = ({ ref, pattern }: On<"path">): PathEntry[] =>
    anchorFolders(pattern, ref, workspace, currentFolders).map((folder) =>
      pathEntry(ref, locatePattern(pattern, fold.path(folder), fold.pattern), fold),
    );
  const locate = (word: PathWord) => indexPaths(paths.filter((rule) => rule.word === word).flatMap(located));
  const holes = { read: new WeakMap<object, readonly Hole[]>(), write: new WeakMap<object, readonly Hole[]>() };
  const commands = on("command");
  const targets = on("target");
  return {
    byTool: mapValues(
      Map.groupBy(on("tool"), ({ name }) => name),
      ({ ref }) => ref,
    ),
    toolGlobs: on("tools"),
    byServer: mapValues(
      Map.groupBy(on("server"), ({ name }) => name),
      ({ ref }) => ref,
    ),
    parameters: Map.groupBy(on("parameter"), ({ tool }) => tool),
    skills: Map.groupBy(on("skill"), ({ tool }) => tool),
    fold,
    paths: { read: locate("read"), write: locate("write"), delete: locate("delete") },
    holes(parts, access) {
      if (parts.length === 0) return [];
      const known = holes[access].get(parts);
      if (known) return known;
      const made = parts.map(({ ref, matches }): Hole => ({ do: access, rule: ref, matches }));
      holes[access].set(parts, made);
      return made;
    },
    commands: indexCommands(commands.filter(({ language }) => language === undefined)),
    powershell: indexCommands(commands.filter(({ language }) => language === "powershell").map(inLowerCase)),
    hosts: indexHosts(on("host")),
    targets: {
      send: targets.filter(({ word }) => word === "send"),
      call: targets.filter(({ word }) => word === "call"),
    },
    agents: on("agent"),
  };
}

const pathEntry = (ref: RuleRef, pattern: LocatedPattern, fold: PathFold): PathEntry => ({
  ref,
  pattern,
  matches: (path) => pattern.reach(fold.path(path)) === "hit",
});

const inLowerCase = (rule: On<"command">): CommandEntry => ({
  ref: rule.ref,
  pattern: compileCommand(rule.pattern.source.toLowerCase()),
});

function mapValues<Key, Value, Out>(map: Map<Key, Value[]>, change: (value: Value) => Out): Map<Key, Out[]> {
  return new Map([...map].map(([key, values]) => [key, values.map(change)]));
}
