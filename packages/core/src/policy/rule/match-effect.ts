import type { CallEffect, Effect, ReadEffect, RunEffect, WriteEffect } from "../../tool/index.ts";
import type { Behavior, RuleRef } from "../decision.ts";
import { needsNetwork } from "../guard/external-effects.ts";
import { isPrivatePath } from "../guard/private.ts";
import { allowsCommand, looseForms, pastOptions, strictForms } from "../pattern/command-forms.ts";
import type { LocatedPattern } from "../pattern/path-pattern.ts";
import { underEveryName } from "./cmdlet-names.ts";
import { type Identity, serverHits } from "./match-call.ts";
import { hostsNamed } from "./named-hosts.ts";
import type { PathIndex } from "./path-index.ts";
import type { PathWord } from "./rule.ts";
import type { CommandEntry, HostEntry, PathEntry, RuleIndex, TargetEntry } from "./rule-index.ts";

export interface EffectHits {
  readonly full: ReadonlySet<RuleRef>;
  /** Rules that mean only a part of a tree. */
  readonly partial: readonly PathEntry[];
}

/** The context of matching, in addition to the rules. */
export interface MatchContext {
  readonly ignoresCase: boolean;
  /** The tool that makes the call. */
  readonly identity: Identity;
}

type PathEffect = ReadEffect | WriteEffect;

const NOTHING: EffectHits = { full: new Set(), partial: [] };

/** The deny or ask rules that mean an effect under any of its readings. */
export function effectHits(index: RuleIndex, behavior: Behavior, effect: Effect, context: MatchContext): EffectHits {
  switch (effect.do) {
    case "read":
    case "write":
      return pathHits(index, behavior, effect);
    case "run":
      return only([...commandHits(index, effect, context), ...namedHostHits(index, effect)]);
    case "connect":
      return only(index.hosts.near(effect.host).filter(({ pattern }) => pattern.matches(effect.host, effect.port)));
    case "send":
      return only(targetHits(index.targets.send, effect.channel, effect.to));
    case "call":
      return callHits(index, effect, context);
    case "delegate":
      return only(index.agents.filter(({ name }) => name.matches(effect.agent)));
    default:
      return NOTHING;
  }
}

/** The allow rule that covers an effect, if any. It has to match every reading of the effect. */
export function effectAllow(index: RuleIndex, effect: Effect, context: MatchContext): RuleRef | undefined {
  switch (effect.do) {
    case "read":
    case "write":
      return pathAllow(index, effect);
    case "run":
      return commandAllow(index, effect, context.identity.name);
    case "connect":
      return index.hosts
        .near(effect.host)
        .find(({ pattern, tool }) => meansTool(tool, context) && pattern.matches(effect.host, effect.port))?.ref;
    case "send":
      return targetAllow(index.targets.send, effect.channel, effect.to);
    case "call":
      return targetAllow(index.targets.call, effect.server, effect.tool);
    case "delegate":
      return index.agents.find(({ name }) => name.matches(effect.agent))?.ref;
    default:
      return undefined;
  }
}

/** For the server's own tools, its rules apply as rules for the tool. */
function callHits(index: RuleIndex, { server, tool }: CallEffect, { identity }: MatchContext): EffectHits {
  const { full } = only(targetHits(index.targets.call, server, tool));
  return {
    full: new Set([...full, ...(identity.tool.server === undefined ? serverHits(index, server) : [])]),
    partial: [],
  };
}

function pathHits(index: RuleIndex, behavior: Behavior, effect: PathEffect): EffectHits {
  const paths = pathsOf(effect, index);
  // Most trees are read by one name, and their result is cached. With many rules a copy would be the whole cost.
  if (effect.do === "read" && effect.tree && paths.length === 1) {
    const { whole, parts } = index.paths.read.around(paths[0]!);
    return { full: new Set(whole.map(({ ref }) => ref)), partial: parts };
  }
  const full = new Set<RuleRef>();
  const partial: PathEntry[] = [];
  for (const word of wordsHitting(effect, behavior)) {
    const { paths: byWord } = index;
    if (effect.tree) lookAtTree(byWord[word], paths, full, partial);
    else
      for (const path of paths)
        for (const { ref, pattern } of byWord[word].near(path)) if (pattern.reach(path) === "hit") full.add(ref);
  }
  // A bound that may modify might also delete, so it excludes everything that must not be deleted.
  if (effect.tree && effect.do === "write" && (effect.change === "modify" || effect.change === "replace"))
    lookAtTree(index.paths.delete, paths, undefined, partial);
  return { full, partial };
}

function lookAtTree(
  index: PathIndex<PathEntry>,
  paths: readonly string[],
  full: Set<RuleRef> | undefined,
  partial: PathEntry[],
): void {
  for (const path of paths) {
    const { whole, parts } = index.around(path);
    if (full) for (const { ref } of whole) full.add(ref);
    else append(partial, whole);
    append(partial, parts);
  }
}

function append(list: PathEntry[], more: readonly PathEntry[]): void {
  for (const part of more) list.push(part);
}

/** A rule against reading also keeps a file from being written; one that asks before reading does not. */
function wordsHitting(effect: PathEffect, behavior: Behavior): readonly PathWord[] {
  if (effect.do === "read") return ["read"];
  const words: PathWord[] = behavior === "deny" ? ["write", "read"] : ["write"];
  return effect.change === "delete" ? [...words, "delete"] : words;
}

/** Separate rules may allow the real path and the name that led to it. */
function pathAllow(index: RuleIndex, effect: PathEffect): RuleRef | undefined {
  const allowing = (path: string) =>
    wordsAllowing(effect, isPrivatePath(path))
      .flatMap((word) => index.paths[word].near(path))
      .find(({ pattern }) => allowsPath(pattern, path, effect))?.ref;
  const refs = pathsOf(effect, index).map(allowing);
  return refs.every((ref) => ref !== undefined) ? refs[0] : undefined;
}

/** Whether a rule for reading allows a path. */
export function allowsReading({ paths, fold }: RuleIndex, path: string): boolean {
  const folded = fold.path(path);
  return paths.read.near(folded).some(({ pattern }) => pattern.reach(folded) === "hit");
}

const allowsPath = (pattern: LocatedPattern, path: string, effect: PathEffect): boolean =>
  effect.tree ? pattern.covers(path) : pattern.reach(path) === "hit";

/**
 * A rule about writing a file also allows deleting it, and reading it unless it is private. It does not allow removing
 * a folder with all its content: that takes a rule about deleting.
 */
function wordsAllowing(effect: PathEffect, isPrivate: boolean): readonly PathWord[] {
  if (effect.do === "read") return isPrivate ? ["read"] : ["read", "write"];
  if (effect.change !== "delete") return ["write"];
  return effect.tree ? ["delete"] : ["write", "delete"];
}

function pathsOf(effect: PathEffect, { fold }: RuleIndex): readonly string[] {
  const path = fold.path(effect.path);
  const named = effect.as === undefined ? path : fold.path(effect.as);
  return named === path ? [path] : [path, named];
}

/** `Bash(...)` stops a command whichever tool runs it. */
function commandHits(index: RuleIndex, run: RunEffect, context: MatchContext): CommandEntry[] {
  if (index.commands.isEmpty && index.powershell.isEmpty) return [];
  const forms = looseForms(run, context.ignoresCase);
  const matching = (form: string) => index.commands.near(form).filter(({ pattern }) => pattern.matches(form));
  const past = pastOptions(run, context.ignoresCase).flatMap((words) => matching(words.join(" ")));
  const hits = [...forms.flatMap(matching), ...past.filter(({ pattern }) => !pattern.isExact)];
  if (run.language !== "powershell") return hits;
  const lower = index.powershell.isEmpty ? [] : forms.flatMap((form) => underEveryName(form.toLowerCase()));
  return [
    ...hits,
    ...lower.flatMap((form) => index.powershell.near(form).filter(({ pattern }) => pattern.matches(form))),
  ];
}

/** A word that may be a file counts as a host only if a rule names one. */
function namedHostHits({ hosts }: RuleIndex, run: RunEffect): readonly HostEntry[] {
  if (hosts.isEmpty) return [];
  const named = hostsNamed(run).flatMap(({ host, port, isAddress }) =>
    hosts
      .near(host)
      .filter(({ pattern }) => isAddress || pattern.literal !== undefined || pattern.domain !== undefined)
      .filter(({ pattern }) => pattern.matches(host, port)),
  );
  if (!run.opaque || !needsNetwork(run.argv)) return named;
  // `connect(*)` means every host, named or not.
  return [...named, ...hosts.near("").filter(({ pattern, tool }) => tool === undefined && pattern.source === "*")];
}

function commandAllow(index: RuleIndex, run: RunEffect, tool: string): RuleRef | undefined {
  for (const form of strictForms(run))
    for (const { ref, pattern, tool: wanted } of index.commands.near(form))
      if ((wanted === undefined || wanted === tool) && allowsCommand(pattern, run)) return ref;
  if (run.language !== "powershell") return undefined;
  const lower = { ...run, text: run.text.toLowerCase(), argv: run.argv.map((word) => word.toLowerCase()) };
  return strictForms(lower)
    .flatMap((form) => index.powershell.near(form))
    .find(({ pattern }) => allowsCommand(pattern, lower))?.ref;
}

const meansTool = (tool: string | undefined, context: MatchContext): boolean =>
  tool === undefined || tool === context.identity.name;

/** Deny and ask rules on a target: on the whole of it, or on a part. */
export const targetHits = (entries: readonly TargetEntry[], first: string, second: string | undefined): TargetEntry[] =>
  entries.filter(
    ({ target }) => target.matches(first) || (second !== undefined && target.matches(`${first}/${second}`)),
  );

/** The rule has to spell out the server or channel: `a*` may mean more than was checked. */
function targetAllow(entries: readonly TargetEntry[], first: string, second: string | undefined): RuleRef | undefined {
  return entries.find(
    ({ target }) =>
      (target.isExact && target.matches(first)) ||
      (second !== undefined && target.prefix.startsWith(`${first}/`) && target.matches(`${first}/${second}`)),
  )?.ref;
}

const only = (entries: readonly { readonly ref: RuleRef }[]): EffectHits => ({
  full: new Set(entries.map(({ ref }) => ref)),
  partial: [],
});
