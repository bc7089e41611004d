import { isBuiltIn } from "../baseline.ts";
import { having, mentionOf } from "../commands.ts";
import type { Notes, Target } from "../exported.ts";
import type { Effect } from "../wanted.ts";

type Fields = Readonly<Record<string, string | readonly string[]>>;

const SHELL = "run_shell_command";
const READS = ["read_file", "read_many_files", "grep_search", "search_file_content", "glob", "list_directory"];
const EDITS = ["write_file", "replace"];

/** Gemini CLI's tools for Haft's. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  Bash: [SHELL],
  Read: READS,
  Grep: ["grep_search", "search_file_content"],
  Glob: ["glob"],
  Ls: ["list_directory"],
  Edit: EDITS,
  Write: EDITS,
  WebFetch: ["web_fetch"],
  WebSearch: ["google_web_search"],
  Skill: ["activate_skill"],
  TodoWrite: ["write_todos"],
  "*": ["*"],
  "mcp__*": ["mcp_*"],
};

const SEARCHES = { toolName: ["grep_search", "search_file_content"] };

/** Commands whose words are known only when they run, and redirections, which Gemini CLI asks about by itself. */
const WILD = /[*?[{$`<>]/;

/** A policy file of Gemini CLI. The matching rule with the highest priority decides: deny, then ask, then allow. */
export const gemini: Target = {
  file: "~/.gemini/policies/haft.toml",
  commands: "open",
  asksAbout: WILD,
  write(effects, notes) {
    const decisions = [
      ["deny", "deny", 900],
      ["ask", "ask_user", 800],
      ["allow", "allow", 700],
    ] as const;
    const rules = decisions.flatMap(([behavior, decision, priority]) => {
      const fields = having(effects, behavior).flatMap((effect) => fieldsOf(effect, notes));
      if (behavior === "ask") fields.push(SEARCHES, { toolName: SHELL, commandRegex: `.*${WILD.source}` });
      const unique = [...new Map(fields.map((one) => [JSON.stringify(one), one])).values()];
      return unique.map((one) => toml({ ...one, decision }, priority));
    });
    notes("stricter", undefined, "Searches ask: Gemini CLI's do not skip private files.");
    return `${rules.join("\n")}`;
  },
};

const toml = (fields: Fields, priority: number): string =>
  `[[rule]]\n${Object.entries(fields)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join("")}priority = ${priority}\n`;

/** A condition of Gemini CLI looks for an expression in the JSON of the arguments. */
const escaped = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&");
const asRegex = (pattern: string): string => pattern.split("*").map(escaped).join(".*");

function fieldsOf(effect: Effect, notes: Notes): Fields[] {
  const { matter, behavior } = effect;
  switch (matter.kind) {
    case "command":
      return behavior === "allow" ? allowedCommand(effect, matter.pattern, notes) : [restricted(effect, notes)];
    case "path": {
      if (behavior === "allow") return leftOut(effect, notes);
      const mention = mentionOf(matter.path) ?? "";
      const tools = matter.access === "read" ? [...READS, ...EDITS] : EDITS;
      const about = escaped(mention);
      if (!isBuiltIn(effect))
        notes(
          "stricter",
          effect,
          `It covers every call of these tools, and every command, that contains "${mention}".`,
        );
      return [
        { toolName: tools, argsPattern: about },
        { toolName: SHELL, commandRegex: `.*${about}` },
      ];
    }
    case "host": {
      if (behavior === "allow") return leftOut(effect, notes);
      const host = escaped(matter.host.replace(/^\*+\.?/, "").replace(/:.*$/, ""));
      notes("stricter", effect, "It covers every fetch and every command that contains the host's name.");
      return [
        { toolName: "web_fetch", argsPattern: host },
        { toolName: SHELL, commandRegex: `.*${host}` },
      ];
    }
    case "mcp":
      if (matter.tool !== "*" && matter.tool.includes("*"))
        return leftOut(effect, notes, [{ mcpName: matter.server, toolName: "*" }]);
      notes("same", effect, "Written as mcpName and toolName.");
      return [{ mcpName: matter.server, toolName: matter.tool }];
    default: {
      const name = matter.kind === "tool" || matter.kind === "named" ? matter.name : /^[^(]+/.exec(effect.rule)![0];
      const tools = TOOLS[name];
      if (behavior === "allow" && (matter.kind !== "tool" || tools === undefined || tools === TOOLS.Edit))
        return leftOut(effect, notes);
      if (tools !== undefined) {
        notes(
          matter.kind === "tool" ? "same" : "stricter",
          effect,
          `It is now ${tools.join(", ")}, with any arguments.`,
        );
        return [{ toolName: tools }];
      }
      // An agent is a tool there, by its own name.
      if (matter.kind === "named" && !/[*?]/.test(matter.pattern)) {
        notes("same", effect, "Agents are tools there.");
        return [{ toolName: matter.pattern }];
      }
      notes("error", effect, "Gemini CLI has no such tool, and no pattern for agents.");
      return [];
    }
  }
}

function leftOut(effect: Effect, notes: Notes, wider: Fields[] = []): Fields[] {
  if (effect.behavior === "allow")
    notes("stricter", effect, "Left out, so it asks: Gemini CLI's rules cannot express it.");
  else notes("stricter", effect, "It covers every tool of the server.");
  return effect.behavior === "allow" ? [] : wider;
}

function allowedCommand(effect: Effect, pattern: string, notes: Notes): Fields[] {
  const start = pattern.replace(/ \*$/, "");
  if (start.includes("*")) return leftOut(effect, notes);
  notes("same", effect, start === pattern ? "Exactly this command." : "Written as commandPrefix.");
  // The expression meets the JSON of the arguments, in which a quote ends the command.
  return start === pattern
    ? [{ toolName: SHELL, commandRegex: `${escaped(start)}"` }]
    : [{ toolName: SHELL, commandPrefix: start }];
}

function restricted(effect: Effect, notes: Notes): Fields {
  const pattern = effect.matter.kind === "command" ? effect.matter.pattern : "";
  const words = pattern.replace(/[ *]+$/, "").split(/\s+/);
  if (!isBuiltIn(effect))
    notes("stricter", effect, "It also matches commands that only contain these words in this order.");
  const [first = "", ...rest] = words.map(asRegex);
  const boundary = /^\w/.test(words[0] ?? "") ? "\\b" : "";
  return { toolName: SHELL, commandRegex: [`.*${boundary}${first}`, ...rest].join(".*") };
}
