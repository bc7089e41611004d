import { nearest } from "../../schema/nearest.ts";
import type { Behavior } from "../decision.ts";
import { compileGlob, hasStar } from "../pattern/glob.ts";
import { otherLetterIn, RETYPE } from "../pattern/letters.ts";
import { builtinToolNames, type ToolNames } from "../toolset/names.ts";
import { type Complaint, complaint, neverMatches, type Parsed } from "./parsed.ts";
import type { Rule, RuleProblem } from "./rule.ts";
import { parseSpecifier } from "./specifier.ts";
import { EFFECT_WORDS, type RuleWord, UNRULED_WORDS } from "./vocabulary.ts";

/** A parsed rule, or the reason why the text is not a rule. */
export type ParsedRule = { readonly rule: Rule } | { readonly problem: RuleProblem };

/**
 * Reads one rule: `Tool`, `Tool(specifier)` or `effect(specifier)`. With `known`, a name without a tool is an error.
 * Without it only the built-in names resolve, and any other name stays as written.
 */
export function parseRule(text: string, behavior: Behavior, known?: ToolNames): ParsedRule {
  const parsed = parseSubject(text.trim(), behavior, known);
  if ("problem" in parsed) return { problem: { severity: "error", rule: text, ...parsed.problem } };
  const warnings = parsed.warning ? [{ severity: "warning" as const, rule: text, ...parsed.warning }] : [];
  return { rule: { text, behavior, subject: parsed.subject, warnings } };
}

function parseSubject(text: string, behavior: Behavior, known: ToolNames | undefined): Parsed {
  const open = text.indexOf("(");
  const name = open < 0 ? text : text.slice(0, open);
  if (text === "") return complaint("The rule is empty.", "Write Tool, Tool(specifier) or effect(specifier).");
  const letter = otherLetterIn(name);
  if (letter !== undefined) return neverMatches(`"${text}" is not a rule. ${letter}.`, RETYPE);
  if (!/^[A-Za-z0-9_*][A-Za-z0-9_*.:-]*$/.test(name) || (open >= 0 && !text.endsWith(")")))
    return (/^[\w .:-]+$/.test(text) ? neverMatches : complaint)(
      `"${text}" is not a rule.`,
      "Write Tool, Tool(specifier) or effect(specifier), without spaces around the name.",
    );

  const specifier = open < 0 ? undefined : text.slice(open + 1, -1).trim();
  if (specifier === "")
    return complaint(`The parentheses of "${text}" are empty.`, `Write ${name} for every call, or say which.`);
  const slip = specifier === undefined ? undefined : slipIn(specifier);
  if (slip) return slip;
  const word = EFFECT_WORDS.find((candidate) => candidate === name);
  if (word && specifier === undefined) return bareWord(word, known ?? builtinToolNames);
  if (word && specifier !== undefined) return parseSpecifier({ word, specifier, behavior });
  const unruled = UNRULED_WORDS.get(name);
  if (unruled && specifier !== undefined)
    return complaint(`"${name}" is not a rule word.`, `${unruled} The words are ${EFFECT_WORDS.join(", ")}.`);
  if (name.startsWith("mcp__") || name.includes("*")) return parseRemote(name, specifier, behavior);
  return parseTool(name, specifier, behavior, known);
}

const SEVERAL = /\)\s*[,;]\s*(?:[A-Z]\w*|mcp__\w+|read|write|delete|run|connect|send|call)\(/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** Finds text that looks like a rule but would never match. */
function slipIn(specifier: string): Parsed | undefined {
  if (SEVERAL.test(specifier))
    return neverMatches(
      "Several rules in one string count as one rule, which never matches.",
      "Write each as its own string.",
    );
  return CONTROL.test(specifier)
    ? neverMatches("A control character in a rule never matches.", "Remove it.")
    : undefined;
}

function parseTool(
  name: string,
  specifier: string | undefined,
  behavior: Behavior,
  known: ToolNames | undefined,
): Parsed {
  const names = known ?? builtinToolNames;
  const tool = names.canonical(name);
  const isExempt = name.includes("_") || name === "Cd";
  if (tool === undefined && known && !isExempt) return unknownTool(name, known);
  const warning = tool === undefined && known ? notYetKnown(name) : undefined;
  const canonical = tool ?? name;
  const parsed: Parsed =
    specifier === undefined || specifier === "*"
      ? { subject: { on: "tool", name: canonical } }
      : parseSpecifier({ tool: canonical, facts: names.facts(canonical), writtenAs: name, specifier, behavior });
  return "problem" in parsed || !warning ? parsed : { ...parsed, warning: parsed.warning ?? warning };
}

/** MCP names and globs over names. An allow rule may only glob after a server that is spelt out. */
function parseRemote(name: string, specifier: string | undefined, behavior: Behavior): Parsed {
  if (name === "mcp__" || name === "mcp")
    return complaint(`"${name}" does not name a server.`, "Write mcp__server or mcp__server__tool.");
  if (/^mcp__.+__$/.test(name))
    return neverMatches(
      `"${name}" does not name a tool.`,
      `Write ${name.replace(/_+$/, "")} for all tools of the server.`,
    );
  const isGlob = hasStar(name);
  if (isGlob && behavior === "allow" && !/^mcp__[^*]+?__/.test(name))
    return neverMatches(
      `"${name}" would allow unknown tools, so it is ignored as an allow rule.`,
      "Name the tool, or the server: mcp__server__*.",
    );
  if (specifier !== undefined && specifier !== "*")
    return isGlob
      ? complaint("A glob over tool names cannot have a specifier.", "Name one tool, or remove the parentheses.")
      : parseSpecifier({ tool: name, writtenAs: name, specifier, behavior });
  const server = /^(mcp__.+?)__\*$/.exec(name)?.[1];
  if (server !== undefined && !hasStar(server)) return { subject: { on: "server", name: server } };
  return isGlob ? { subject: { on: "tools", glob: compileGlob(name) } } : { subject: { on: "server", name } };
}

function bareWord(word: RuleWord, names: ToolNames): Parsed {
  const tool = names.canonical(word);
  const all = word === "read" || word === "write" || word === "delete" ? `${word}(**)` : `${word}(*)`;
  const effect = `${all} for every ${word} effect, whichever tool causes it`;
  return complaint(
    `"${word}" alone is ambiguous.`,
    tool === undefined ? `Write ${effect}.` : `Write ${tool} for the tool, or ${effect}.`,
  );
}

function unknownTool(name: string, known: ToolNames): Parsed {
  const message = `There is no tool "${name}", so the rule never matches.`;
  if (name.startsWith("group:"))
    return neverMatches(
      message,
      `Groups only work in "policy": { "deny": ["${name}"] }; a rule names a tool or an effect.`,
    );
  // Effect names begin with a small letter, tool names with a capital.
  const isEffect = /^[a-z]/.test(name);
  const near = (isEffect ? nearest(name, EFFECT_WORDS) : undefined) ?? known.nearest(name);
  return neverMatches(
    message,
    near === undefined ? "See the names with `haft tools list --all`." : `Did you mean ${near}?`,
  );
}

const notYetKnown = (name: string): Complaint => ({
  message: `There is no tool "${name}" yet.`,
  cure: "Ignore this if the tool comes from a server or a plugin; otherwise correct the name.",
});
