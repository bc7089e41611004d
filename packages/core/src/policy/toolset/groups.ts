import { nearest } from "../../schema/nearest.ts";
import { fail } from "../../tool/index.ts";
import { builtinToolNames, foldName, type ToolNames } from "./names.ts";

/**
 * Groups that exist even without tools, for `policy.allow` and `policy.deny`. Each tool names its groups; a new name
 * makes a further group.
 */
const STANDING_GROUPS: readonly string[] = [
  ...["fs", "runtime", "web", "sessions", "messaging", "files", "shells", "search", "plan", "agents", "ui"],
  ...["memory", "automation", "host", "mcp", "plugins", "custom"],
].map((name) => `group:${name}`);

/** The groups that also contain every tool of some origins. */
export const ORIGIN_GROUPS: Readonly<Record<string, readonly string[]>> = {
  "group:mcp": ["mcp"],
  "group:plugins": ["plugin"],
  "group:custom": ["custom", "discovered", "client"],
};

/** Every group with its members, empty ones included. */
export function toolGroups(names: ToolNames = builtinToolNames): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    [...new Set([...STANDING_GROUPS, ...names.groups.keys()])].map((key) => [key, names.groups.get(key) ?? []]),
  );
}

/**
 * The tools that a deny also removes, so that a synonym does not bypass it: `apply_patch` does everything that `Write` and
 * `Edit` do. Denying `Write` leaves `Edit`, which cannot create a file. To forbid every write, whatever the tool, use
 * the rule `write(**)`.
 */
export const substitutesOf = (name: string, names: ToolNames = builtinToolNames): readonly string[] =>
  names.all.filter((other) => names.facts(other)?.substitutes?.includes(name));

/** A problem of an entry in a tool list, and what to write instead. */
export interface EntryProblem {
  readonly entry: string;
  readonly message: string;
  readonly cure: string;
  /** `error`: no tool has the name. `warning`: a glob that matches nothing known today. */
  readonly severity: "error" | "warning";
}

/** The full name of a group; `undefined` if the group does not exist. */
export function groupKey(entry: string, names: ToolNames): string | undefined {
  const key = foldName(entry);
  return STANDING_GROUPS.includes(key) || names.groups.has(key) ? key : undefined;
}

/**
 * Replaces the groups of a list by their members, makes every name canonical, and removes duplicates. Globs and MCP
 * names stay as written. A group of an origin also stays, beside its members, because its tools are known only later.
 *
 * @throws HaftError `validation_failed` for an unknown group or tool.
 */
export function expandToolGroups(list: readonly string[], names: ToolNames = builtinToolNames): string[] {
  const [problem] = checkToolList(list, names).filter((found) => found.severity === "error");
  if (problem) fail("validation_failed", problem.message, problem.cure);
  return [...new Set(list.flatMap((entry) => expand(entry, names)))];
}

/** Everything that is wrong with a list of tools and groups. */
export function checkToolList(list: readonly string[], names: ToolNames = builtinToolNames): EntryProblem[] {
  return list.flatMap((entry) => checkEntry(entry, names) ?? []);
}

/** Whether an entry is an MCP name: `mcp__server`, `mcp__server__tool`. Servers come and go, so it never counts as unknown. */
export const isMcpName = (entry: string): boolean => foldName(entry).startsWith("mcp__");

export const isGlob = (entry: string): boolean => entry.includes("*");

/** Whether `text` fits a pattern in which `*` matches any characters. Linear in the text for each part. */
export function globMatches(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return text === pattern;
  const tail = rest.pop() ?? "";
  if (!text.startsWith(head) || !text.endsWith(tail) || text.length < head.length + tail.length) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function expand(entry: string, names: ToolNames): string[] {
  const group = groupKey(entry, names);
  if (group) return [...(names.groups.get(group) ?? []), ...(Object.hasOwn(ORIGIN_GROUPS, group) ? [group] : [])];
  return [isGlob(entry) || isMcpName(entry) ? entry.trim() : (names.canonical(entry) ?? entry.trim())];
}

function checkEntry(entry: string, names: ToolNames): EntryProblem | undefined {
  const key = foldName(entry);
  if (key === "") return problem(entry, "An empty name stands for no tool.", "Remove it, or name a tool or group.");
  if (groupKey(entry, names) || names.canonical(entry)) return undefined;
  if (key.startsWith("group:")) {
    const known = Object.keys(toolGroups(names));
    const near = nearest(key, known);
    const cure = near ? `Did you mean "${near}"?` : `Groups: ${known.join(", ")}.`;
    return problem(entry, `There is no group "${entry}".`, cure);
  }
  if (/[()]/.test(entry))
    return problem(
      entry,
      `"${entry}" is a rule; this list takes tools and groups only.`,
      'Write it under "permissions" (allow, ask, deny).',
    );
  if (isGlob(entry)) return isMcpName(entry) || matchesKnown(key, names) ? undefined : deadGlob(entry);
  if (isMcpName(entry)) return undefined;
  const near = names.nearest(entry);
  return problem(
    entry,
    `There is no tool "${entry}".`,
    near ? `Did you mean "${near}"?` : "`haft tools list --all` names them all.",
  );
}

const matchesKnown = (glob: string, names: ToolNames): boolean =>
  names.all.some((name) => [name, ...names.aliases(name)].some((word) => globMatches(glob, foldName(word))));

const deadGlob = (entry: string): EntryProblem => ({
  ...problem(entry, `"${entry}" matches no tool that is known.`, "`haft tools list --all` names them all."),
  severity: "warning",
});

const problem = (entry: string, message: string, cure: string): EntryProblem => ({
  entry,
  message,
  cure,
  severity: "error",
});
