import type { Behavior } from "@haft/core/policy";
import { isBuiltIn } from "../baseline.ts";
import { byStrictness, commandPatterns, mentionOf } from "../commands.ts";
import type { Notes, Target } from "../exported.ts";
import type { Effect } from "../wanted.ts";

/** One line of opencode's permissions: what is done, to what, and the answer. The last line that matches decides. */
type Line = readonly [key: string, pattern: string, action: Behavior];

/** Scripts with these are more than one plain command, or write a file. */
const MORE_THAN_ONE = ["*>*", "*<(*", "*$(*", "*`*", "*\n*"];

/** opencode 1: `permission`, an object for each kind of tool. */
export const opencode1: Target = {
  file: "opencode.json",
  commands: "open",
  asksAbout: /\$\(|`|[<>]/,
  write(effects, notes) {
    const permission: Record<string, Behavior | Record<string, Behavior>> = { "*": "ask" };
    for (const [key, pattern, action] of linesOf(effects, notes)) {
      const held = permission[key];
      const patterns: Record<string, Behavior> = typeof held === "object" ? held : {};
      // A key that is set again keeps its old place, and order decides.
      delete patterns[pattern];
      permission[key] = { ...patterns, [pattern]: action };
    }
    return `${JSON.stringify({ $schema: "https://opencode.ai/config.json", permission }, null, 2)}\n`;
  },
};

const ACTIONS: Readonly<Record<string, string>> = { bash: "shell", task: "subagent" };

/** opencode 2: `permissions`, one ordered list. Denies come last, so both readings of the order agree. */
export const opencode2: Target = {
  file: "opencode.json",
  commands: "open",
  asksAbout: /\$\(|`|[<>]/,
  write(effects, notes) {
    const lines: Line[] = [["*", "*", "ask"], ...linesOf(effects, notes)];
    const permissions = lines.map(([key, resource, effect]) => ({ action: ACTIONS[key] ?? key, resource, effect }));
    return `${JSON.stringify({ $schema: "https://opencode.ai/config.json", permissions }, null, 2)}\n`;
  },
};

function linesOf(effects: readonly Effect[], notes: Notes): Line[] {
  const lines: Line[] = [
    ["read", "*", "allow"],
    ["list", "*", "allow"],
    ["bash", "*", "ask"],
    ["edit", "*", "ask"],
  ];
  const sorted = byStrictness(effects);
  for (const effect of sorted.filter(({ behavior }) => behavior === "allow")) lines.push(...allowed(effect, notes));
  for (const pattern of MORE_THAN_ONE) lines.push(["bash", pattern, "ask"]);
  for (const effect of sorted.filter(({ behavior }) => behavior !== "allow"))
    for (const [key, pattern] of restricted(effect, notes)) lines.push([key, pattern, effect.behavior]);
  notes("stricter", undefined, "Searches ask: opencode's do not skip private files.");
  return lines;
}

function allowed(effect: Effect, notes: Notes): Line[] {
  const { matter } = effect;
  const line = lineFor(matter);
  if (line === undefined) notes("stricter", effect, "Left out, so it asks: opencode's rules cannot express it.");
  else notes("same", effect, `It is now ${line[0]} ${JSON.stringify(line[1])}.`);
  return line === undefined ? [] : [[...line, "allow"]];
}

function lineFor(matter: Effect["matter"]): readonly [string, string] | undefined {
  if (matter.kind === "command") return ["bash", matter.pattern];
  if (matter.kind === "mcp") return [`${matter.server}_${matter.tool}`, "*"];
  if (matter.kind === "named") return [matter.name === "Agent" ? "task" : "skill", matter.pattern];
  if (matter.kind === "tool" && matter.name === "WebSearch") return ["websearch", "*"];
  // Only patterns from the project's root mean the same: opencode's paths begin there, and its stars cross folders.
  if (matter.kind === "path" && matter.access === "write" && /^\/[^/*?[\]{}\\][^*?[\]{}\\]*\/\*\*$/.test(matter.path))
    return ["edit", matter.path.slice(1).replace(/\*\*$/, "*")];
  return undefined;
}

/** opencode's keys for Haft's tools. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  Bash: ["bash"],
  Edit: ["edit"],
  Write: ["edit"],
  Read: ["read", "grep", "glob", "list"],
  Grep: ["grep"],
  Glob: ["glob"],
  Ls: ["list"],
  WebFetch: ["webfetch"],
  WebSearch: ["websearch"],
  Agent: ["task"],
  Skill: ["skill"],
  TodoWrite: ["todowrite"],
  "*": ["*", "read", "list", "bash", "edit"],
  "mcp__*": ["*_*"],
};

function restricted(effect: Effect, notes: Notes): (readonly [string, string])[] {
  const { matter, rule } = effect;
  switch (matter.kind) {
    case "command":
      if (!isBuiltIn(effect))
        notes("stricter", effect, "It also matches commands that only contain these words in this order.");
      return commandPatterns(effect).map((pattern) => ["bash", pattern] as const);
    case "path": {
      const mention = mentionOf(matter.path) ?? "";
      const pattern = starPath(matter.path);
      const keys = matter.access === "read" ? ["read", "edit"] : ["edit"];
      const own = keys.map((key) => [key, pattern] as const);
      if (!isBuiltIn(effect)) notes("stricter", effect, `It also covers every command that contains "${mention}".`);
      return [...own, ["bash", `*${mention}*`]];
    }
    case "host": {
      const host = matter.host.replace(/^\*+\.?/, "").replace(/:.*$/, "");
      notes("stricter", effect, "It covers every address and every command that contains the host's name.");
      return [
        ["webfetch", `*${host}*`],
        ["bash", `*${host}*`],
      ];
    }
    case "mcp":
      notes("same", effect, "The tool's name there is SERVER_TOOL.");
      return [[`${matter.server}_${matter.tool}`, "*"]];
    case "named":
      notes("same", effect, "Copied.");
      return [[matter.name === "Agent" ? "task" : "skill", matter.pattern]];
    case "tool": {
      const keys = KEYS[matter.name] ?? [matter.name];
      notes("same", effect, `It is now ${keys.join(", ")}.`);
      return keys.map((key) => [key, "*"] as const);
    }
    case "other": {
      const tool = /^[^(]+/.exec(rule)?.[0] ?? rule;
      const keys = KEYS[tool];
      notes(
        keys ? "stricter" : "weaker",
        effect,
        keys ? `It covers all of ${tool}.` : "Left out: opencode has no such tool.",
      );
      return (keys ?? []).map((key) => [key, "*"] as const);
    }
  }
}

/** A path at any depth, and everything below it, where stars cross folders. */
const starPath = (path: string): string =>
  `*${path
    .replace(/^(?:~|\.)?\/+/, "")
    .replaceAll(/\*+/g, "*")
    .replace(/^\*/, "")}`;
