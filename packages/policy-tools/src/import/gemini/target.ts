import { type Behavior, builtinToolNames, substitutesOf } from "@haft/core/policy";
import type { Draft } from "../draft.ts";
import type { Place } from "../imported.ts";
import { commandRule } from "../specifier/command.ts";
import { everySplit, knownSplit } from "../specifier/mcp-names.ts";
import { regexTexts } from "./regex-texts.ts";
import type { GeminiRule } from "./rule.ts";

/** One kind of call that a rule matches. */
export interface Target {
  /** Texts by which rules are compared: the tool, a line break, and the command or `*`. */
  readonly patterns: readonly string[];
  readonly tool: string;
  readonly server?: string;
  /** The start of the command. Absent: every call of the tool. */
  readonly command?: CommandStart;
  /** The patterns match more than the rule does. */
  readonly isWidened: boolean;
  /** A condition on the arguments that Haft cannot express. A restriction then covers the whole tool. */
  readonly unsaid?: string;
}

interface CommandStart {
  readonly start: string;
  /** The text after it: nothing, further words, or anything. */
  readonly end: "exact" | "word" | "open";
}

const SHELL = "run_shell_command";

/** The calls that a rule matches: one target for each tool and each choice of command. */
export function targetsOf(rule: GeminiRule): Target[] {
  return rule.tools.flatMap((tool) => {
    const name = canonical(tool, rule.server);
    const isWidened = rule.isWidened || (rule.behavior !== "allow" && rule.pattern !== undefined);
    const base = { tool, isWidened, ...(rule.server === undefined ? {} : { server: rule.server }) };
    const commands = commandsOf(rule, name);
    if (commands === undefined)
      return [
        { ...base, patterns: [`${name}\n*`], unsaid: rule.pattern ?? `commandPrefix ${rule.prefixes?.join(", ")}` },
      ];
    if (commands.length === 0) return [{ ...base, patterns: name === "*" ? ["*"] : [`${name}\n*`] }];
    return commands.map((command) => ({
      ...base,
      // A literal star would look like a wildcard, so the pattern counts as wider.
      isWidened: isWidened || /[*?]/.test(command.start),
      command,
      patterns: patternsOf(command).map((pattern) => `${name}\n${pattern}`),
    }));
  });
}

function patternsOf({ start, end }: CommandStart): string[] {
  if (end === "open") return [`${start}*`];
  return end === "exact" ? [start] : [start, `${start} *`];
}

/** The rule's commands. Empty: every call. `undefined`: a condition that Haft cannot express. */
function commandsOf(
  { prefixes, pattern, isCommandPattern, behavior }: GeminiRule,
  name: string,
): CommandStart[] | undefined {
  if (!prefixes && pattern === undefined) return [];
  if (name !== SHELL) return undefined;
  if (prefixes) return prefixes.map((start) => ({ start, end: "word" }));
  const [, quoted] = /^\\?"command\\?":\\?"(.*)$/s.exec(pattern!) ?? [];
  const texts = regexTexts((isCommandPattern ? pattern : quoted) ?? "");
  // The expression is tested on JSON: a quote ends the command, and quotes and backslashes in it are escaped.
  if (!texts || texts.some((text) => /["\\]/.test(text.replace(/"$/, "")))) return undefined;
  return texts.map((text) => {
    const start = text.replace(/"$/, "");
    // An allow uses the narrower reading, a restriction the wider one.
    return { start, end: behavior !== "allow" ? "open" : start === text ? "word" : "exact" };
  });
}

/** Adds the rules of a target to the draft. */
export function writeTarget(draft: Draft, behavior: Behavior, target: Target, place: Place): void {
  const { tool, server, command, unsaid } = target;
  if (unsaid !== undefined)
    draft.note(
      "warning",
      place,
      `Made stricter: the condition ${JSON.stringify(unsaid)} cannot be expressed, so it applies to the whole tool.`,
    );
  if (tool === "*" && server === undefined) {
    if (behavior !== "allow") {
      draft.rule(behavior, "*", place);
      return;
    }
    draft.note(
      "warning",
      place,
      "Left out: an allow for every tool, known or not, cannot be expressed. Choose a mode instead.",
    );
    return;
  }
  if (canonical(tool, server) === SHELL) {
    writeCommand(draft, behavior, command, place);
    return;
  }
  if (server !== undefined || tool.startsWith("mcp_")) {
    writeRemote(draft, behavior, target, place);
    return;
  }
  const name = builtinToolNames.canonical(tool);
  if (name !== undefined) {
    if (behavior === "allow") {
      allowTool(draft, name, place);
      return;
    }
    for (const one of [name, ...substitutesOf(name)]) draft.rule(behavior, one, place);
    return;
  }
  if (behavior === "allow") {
    draft.note("warning", place, "Left out, so it asks: Haft has no tool of this name.");
    return;
  }
  // An agent's name matches the tool that starts the agent.
  draft.rule(behavior, `Agent(${tool.replaceAll("?", "*")})`, place);
  draft.rule(behavior, tool.includes("_") || tool.includes("*") ? tool : `${tool}*`, place);
}

function writeCommand(draft: Draft, behavior: Behavior, command: CommandStart | undefined, place: Place): void {
  if (!command) {
    commandRule(draft, behavior, "*", place);
    return;
  }
  const start = command.start.replaceAll("*", behavior === "allow" ? "\\*" : "*");
  const written = { open: `${start}*`, exact: start, word: `${start.trimEnd()} *` };
  commandRule(draft, behavior, written[command.end], place);
}

/** Allows files inside the workspace only, because the peer's tools reach no further. */
function allowTool(draft: Draft, name: string, place: Place): void {
  if (["Read", "ReadManyFiles", "Ls", "Glob", "Grep"].includes(name)) {
    draft.rule("allow", "Read(./**)", place);
    return;
  }
  if (name === "Edit" || name === "Write") {
    draft.note(
      "warning",
      place,
      `Left out, so it asks: ${name} alone cannot be allowed within the workspace. The mode acceptEdits allows all edits there.`,
    );
    return;
  }
  draft.rule("allow", name, place);
}

function writeRemote(draft: Draft, behavior: Behavior, { tool, server }: Target, place: Place): void {
  const plain = tool.replace(/^mcp_(?!_)/, "");
  const own = server !== undefined && plain.startsWith(`${server}_`) ? plain.slice(server.length + 1) : plain;
  if (behavior !== "allow") {
    const rules =
      server === undefined ? everySplit(plain) : server === "*" ? everyServer(own) : [`mcp__${server}__${own}`];
    for (const rule of rules) draft.rule(behavior, rule, place);
    return;
  }
  const rule = server === undefined ? loneSplit(plain) : server === "*" ? undefined : `mcp__${server}__${own}`;
  if (rule) draft.rule("allow", rule, place);
  else draft.note("warning", place, "Left out, so it asks: name the one server in mcpName.");
}

/** A tool of any server: any text may precede its name. */
const everyServer = (tool: string): string[] => [tool === "*" ? "mcp__*" : `mcp__*__${tool}`];

/** `server_tool` with a single underscore has only one possible split. */
const loneSplit = (name: string): string | undefined => {
  const [server = ""] = name.split("_", 1);
  return /^[A-Za-z0-9-]+_(?:\*|[A-Za-z0-9-]+)$/.test(name) ? knownSplit(name, [server]) : undefined;
};

/** One name for each tool, so that two spellings compare as equal. */
function canonical(tool: string, server: string | undefined): string {
  if (server !== undefined) {
    const own = tool.replace(/^mcp_(?!_)/, "");
    return `mcp_${server}_${own.startsWith(`${server}_`) ? own.slice(server.length + 1) : own}`;
  }
  return builtinToolNames.canonical(tool) === "Bash" ? SHELL : (builtinToolNames.canonical(tool) ?? tool);
}
