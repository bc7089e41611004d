import type { Behavior } from "@haft/core/policy";
import { createDraft, type Draft, refuseMisspelt, unreadable } from "../draft.ts";
import type { Importer, ImportOptions, Place } from "../imported.ts";
import { isBroken, isObject, readObject } from "../json.ts";
import { flatten, type OrderedRule } from "../order/flatten.ts";
import { wildcardMatches } from "../order/wildcard.ts";
import { everySplit, knownSplit } from "../specifier/mcp-names.ts";
import { KEYS, type KeyMeaning, takePattern } from "./keys.ts";

/** One line of the permission settings: key, pattern and action. */
interface Entry {
  readonly key: string;
  readonly pattern: string;
  readonly action: Behavior;
  readonly place: Place;
}

/**
 * opencode's configuration. There the last matching line decides, here the strictest. So a list with an allow as an
 * exception to an earlier deny is refused. Calls that nobody configured are left to Haft's mode, which asks more often than
 * opencode.
 */
export const importOpencode: Importer = (text, options = {}) => {
  const file = readObject(text);
  if (isBroken(file)) return unreadable(file.broken, file.line);
  const draft = createDraft();
  refuseMisspelt(draft, file, ["permission", "tools"]);
  const entries = [...switchedTools(draft, file.tools, options), ...permissionEntries(draft, file.permission, options)];
  const open = Object.entries(KEYS).flatMap(([key, meaning]) =>
    takeKey(draft, key, meaning, entries, options) ? meaning.tools : [],
  );
  const servers = isObject(file.mcp) ? Object.keys(file.mcp) : [];
  const openRemote = takeRemote(draft, entries, servers, options);
  const everything = entries.findLast(({ key, pattern }) => key === "*" && pattern === "*");
  if (everything?.action === "deny") {
    draft.merge({ policy: { allow: [...new Set([...open, ...openRemote])] } });
    draft.note("notice", everything.place, "Tools that opencode does not have are not offered either.");
  }
  for (const name of Object.keys(isObject(file.agent) ? file.agent : {}))
    draft.note(
      "notice",
      at(options, ["agent", name]),
      "Left out: Haft's rules hold for every agent. Import the rules of one agent from a file of its own.",
    );
  return draft.finish();
};

/** The older form `tools: { name: false }`. */
function switchedTools(draft: Draft, tools: unknown, options: ImportOptions): Entry[] {
  if (tools === undefined) return [];
  if (!isObject(tools)) return refused(draft, at(options, ["tools"]), "It must be an object.");
  return Object.entries(tools).map(([name, isOn]) => ({
    key: ["write", "patch", "multiedit"].includes(name) ? "edit" : name,
    pattern: "*",
    action: isOn === false ? "deny" : "allow",
    place: at(options, ["tools", name]),
  }));
}

function permissionEntries(draft: Draft, permission: unknown, options: ImportOptions): Entry[] {
  if (permission === undefined) return [];
  const action = actionOf(permission);
  if (action) return [{ key: "*", pattern: "*", action, place: at(options, ["permission"]) }];
  if (!isObject(permission))
    return refused(draft, at(options, ["permission"]), "It must be allow, ask, deny or an object.");
  return Object.entries(permission).flatMap(([key, value]) => keyEntries(draft, key, value, options));
}

function keyEntries(draft: Draft, key: string, value: unknown, options: ImportOptions): Entry[] {
  const path = ["permission", key];
  const action = actionOf(value);
  if (action) return [{ key, pattern: "*", action, place: at(options, path, `${key}: ${action}`) }];
  if (!isObject(value))
    return refused(draft, at(options, path), "It must be allow, ask, deny or an object of patterns.");
  return Object.entries(value).flatMap(([pattern, one]) => {
    const action = actionOf(one);
    const place = at(options, [...path, pattern], `${key} ${JSON.stringify(pattern)}: ${String(one)}`);
    return action ? [{ key, pattern, action, place }] : refused(draft, place, "It must be allow, ask or deny.");
  });
}

function refused(draft: Draft, place: Place, message: string): [] {
  draft.note("error", place, message);
  return [];
}

const actionOf = (value: unknown): Behavior | undefined =>
  value === "allow" || value === "ask" || value === "deny" ? value : undefined;

/** Adds all rules for one key. Returns whether anything of it is not denied. */
function takeKey(
  draft: Draft,
  key: string,
  meaning: KeyMeaning,
  entries: readonly Entry[],
  options: ImportOptions,
): boolean {
  const rules = entries
    .filter((entry) => wildcardMatches(entry.key, key))
    .map(
      (entry): OrderedRule<Place> => ({ patterns: spellings(entry.pattern), action: entry.action, place: entry.place }),
    );
  const kept = settle(draft, rules, options);
  for (const { patterns, action, place } of kept) takePattern(draft, meaning, action, patterns.at(-1)!, place);
  return kept.some(({ action }) => action !== "deny");
}

/** ` *` at the end can match nothing. */
const spellings = (pattern: string): string[] => (pattern.endsWith(" *") ? [pattern.slice(0, -2), pattern] : [pattern]);

function settle(
  draft: Draft,
  rules: readonly OrderedRule<Place>[],
  { leaveReads = false }: ImportOptions,
): readonly OrderedRule<Place>[] {
  const { kept, conflicts, silenced, left } = flatten(rules, leaveReads);
  for (const { earlier, later } of conflicts)
    draft.note(
      "error",
      later.place,
      `It allows some of what ${lineOf(earlier.place)} denies. In Haft a deny has no exceptions: deny less, or remove the deny and use the mode dontAsk, which refuses everything that no rule allows.`,
    );
  for (const { earlier, later } of silenced)
    draft.note(
      "warning",
      later.place,
      `${earlier.action === "deny" ? "Stays denied" : "Still asks"}: ${lineOf(earlier.place)} also matches, and the stricter one wins.${earlier.action === "ask" ? " With --leave-reads the exceptions hold, and Haft's mode asks about the rest." : ""}`,
    );
  for (const { place } of left)
    draft.note(
      "notice",
      place,
      "Left to Haft's mode: it asks, except for reading in the workspace and commands that are known to only read.",
    );
  return kept;
}

const lineOf = ({ from, line }: Place): string => (line === undefined ? `"${from}"` : `"${from}" (line ${line})`);

/** Adds rules for tools of MCP servers, whose keys are the tools' own names. Returns the rules of allowed tools. */
function takeRemote(
  draft: Draft,
  entries: readonly Entry[],
  servers: readonly string[],
  options: ImportOptions,
): string[] {
  const rules = entries
    .filter(({ key, pattern }) => /^\*+$/.test(pattern) && !Object.hasOwn(KEYS, key) && !INTERNAL.has(key))
    .map(({ key, action, place }): OrderedRule<Place> => ({ patterns: [key], action, place }));
  const narrow = entries.filter(
    ({ key, pattern, action }) =>
      action !== "allow" && pattern !== "*" && !Object.hasOwn(KEYS, key) && !INTERNAL.has(key) && !/[*?]/.test(key),
  );
  for (const { key, action, place } of entries)
    if (INTERNAL.has(key) && action !== "allow") draft.note("notice", place, "Left out: Haft has no tool for it.");
  for (const { key, action, place } of narrow) restrict(draft, key, action, place);
  return settle(draft, rules, options).flatMap(({ patterns: [name = ""], action, place }) => {
    if (action !== "allow") return restrict(draft, name, action, place);
    if (name === "*") return [];
    const rule = knownSplit(name, servers);
    if (rule) draft.rule("allow", rule, place);
    else if (!matchesKey(name))
      draft.note("warning", place, "Left out, so it asks: it is not clear which server the tools are of.");
    return rule ? [rule] : [];
  });
}

function restrict(draft: Draft, name: string, action: Behavior, place: Place): [] {
  for (const rule of everySplit(name)) draft.rule(action, rule, place);
  // A name without a known server may be one of the host's own tools.
  if (!/[*?]/.test(name)) draft.rule(action, name.includes("_") ? name : `${name}*`, place);
  return [];
}

/** Keys that match no tool. */
const INTERNAL: ReadonlySet<string> = new Set(["doom_loop", "invalid"]);

const matchesKey = (name: string): boolean => Object.keys(KEYS).some((key) => wildcardMatches(name, key));

function at({ lineOf }: ImportOptions, path: readonly string[], from = path.join(".")): Place {
  const line = lineOf?.(path);
  return { from, ...(line === undefined ? {} : { line }) };
}
