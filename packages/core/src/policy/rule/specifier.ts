import { nearest } from "../../schema/nearest.ts";
import type { Behavior } from "../decision.ts";
import { compileCommand, findOperator } from "../pattern/command-pattern.ts";
import { compileGlob, hasStar } from "../pattern/glob.ts";
import { compileHost } from "../pattern/host-pattern.ts";
import { parsePathPattern } from "../pattern/path-pattern.ts";
import type { ToolFacts } from "../toolset/facts.ts";
import { neverMatches, type Parsed } from "./parsed.ts";
import type { PathWord } from "./rule.ts";
import { FORMER_PATH_TOOLS, type RuleWord, SHELL_PROGRAMS } from "./vocabulary.ts";

interface ToolSpecified {
  readonly tool: string;
  readonly facts?: ToolFacts | undefined;
  readonly writtenAs: string;
}

/** A specifier with the text before its parenthesis. */
export type Specified = { readonly specifier: string; readonly behavior: Behavior } & (
  | { readonly word: RuleWord }
  | ToolSpecified
);

/** Reads the text in the parentheses. */
export function parseSpecifier(rule: Specified): Parsed {
  return "word" in rule ? parseEffect(rule.word, rule.specifier, rule.behavior) : parseForTool(rule);
}

function parseEffect(word: RuleWord, specifier: string, behavior: Behavior): Parsed {
  switch (word) {
    case "read":
    case "write":
    case "delete":
      return parsePath(word, specifier, behavior);
    case "run":
      return parseCommand(specifier);
    case "connect":
      return parseHost(specifier);
    case "send":
    case "call":
      return parseTarget(word, specifier, behavior);
  }
}

function parseForTool(rule: Specified & ToolSpecified): Parsed {
  const { tool, facts, writtenAs, specifier, behavior } = rule;
  const parameter = readParameter(facts, specifier);
  if (parameter) return parseParameter(tool, facts, parameter, behavior);
  const former = FORMER_PATH_TOOLS.get(writtenAs);
  if (former) return substitutePath(former.word, rule, former.tool);
  switch (facts?.specifier) {
    case "command":
      return parseCommand(specifier, facts);
    case "domain":
      return parseFetch(specifier, tool);
    case "read":
    case "write":
      return facts.family === undefined
        ? parsePath(facts.specifier, specifier, behavior)
        : substitutePath(facts.specifier, rule, facts.family);
    case "agent":
      return { subject: { on: "agent", name: compileGlob(specifier) } };
    case "skill":
      return parseSkill(tool, specifier);
  }
  if (tool === "Cd") return NO_CD;
  return neverMatches(
    `${tool} has no specifier "${specifier}".`,
    `Write ${writtenAs} for every call${behavior === "allow" ? "" : `, or ${writtenAs}(field:value)`}; for files, commands and hosts write read(path), write(path), run(command) and connect(host).`,
  );
}

/** The documented rule about a person's own command `/cd`. No call matches it. */
const NO_CD: Parsed = {
  subject: { on: "nothing" },
  warning: { message: "Cd(...) rules are for another program.", cure: "For files write Read(path)." },
};

/** `Write(p)`, `Grep(p)` and the like: stricter than documented as deny or ask, as documented for allow. */
function substitutePath(word: PathWord, rule: Specified & { writtenAs: string }, usual: string): Parsed {
  const { writtenAs, specifier, behavior } = rule;
  const parsed = parsePath(word, specifier, behavior);
  if ("problem" in parsed) return parsed;
  const cure = `Write ${usual}(${specifier}).`;
  if (behavior !== "allow")
    return { ...parsed, warning: { message: `${writtenAs}(...) is taken as ${usual}(...).`, cure } };
  return {
    subject: { on: "nothing" },
    warning: { message: `${writtenAs}(...) is never consulted as an allow rule.`, cure },
  };
}

function parsePath(word: PathWord, specifier: string, behavior: Behavior): Parsed {
  const pattern = parsePathPattern(specifier, behavior);
  return "problem" in pattern
    ? { problem: { ...pattern.problem, neverMatches: true } }
    : { subject: { on: "path", word, pattern } };
}

function parseCommand(specifier: string, facts?: ToolFacts): Parsed {
  const { name: tool, language } = facts ?? {};
  const operator = findOperator(specifier);
  if (operator !== undefined) return spansCommands(operator);
  if (/^\s*:?\*?\s*$/.test(specifier) && specifier.trim() !== "*")
    return neverMatches(
      `"${specifier}" does not name a command.`,
      tool === undefined ? "Write run(*) for every command." : `Write ${tool} for every call.`,
    );
  const pattern = compileCommand(specifier);
  return { subject: { on: "command", pattern, ...(tool ? { tool } : {}), ...(language ? { language } : {}) } };
}

function spansCommands(operator: string): Parsed {
  const shown = operator === "\n" ? "a line break" : `"${operator}"`;
  return neverMatches(
    `A command pattern with ${shown} never matches: each command of a script is checked separately, and redirections as files.`,
    /[<>]/.test(operator)
      ? "Write this rule for the command, and Read(path) or Edit(path) for the file."
      : "Write one rule for each command.",
  );
}

function parseFetch(specifier: string, tool: string): Parsed {
  const domain = /^domain\s*:\s*(.*)$/.exec(specifier)?.[1];
  if (domain === undefined)
    return neverMatches(
      `${tool} rules need a host, and "${specifier}" is not one.`,
      `Write ${tool}(domain:example.com).`,
    );
  return parseHost(domain, tool);
}

function parseHost(host: string, tool?: string): Parsed {
  const pattern = compileHost(host);
  if ("problem" in pattern)
    return neverMatches(
      `The rule never matches: ${pattern.problem}.`,
      "Write a host only, such as example.com or *.example.com.",
    );
  return { subject: { on: "host", pattern, ...(tool === undefined ? {} : { tool }) } };
}

function parseTarget(word: "send" | "call", specifier: string, behavior: Behavior): Parsed {
  const first = specifier.split("/", 1)[0] ?? "";
  if (behavior === "allow" && hasStar(first))
    return neverMatches(
      `"${word}(${specifier})" would allow ${word === "call" ? "servers" : "channels"} that are unknown.`,
      `Spell out the ${word === "call" ? "server" : "channel"}; a glob may follow behind "/".`,
    );
  return { subject: { on: "target", word, target: compileGlob(specifier) } };
}

function parseSkill(tool: string, specifier: string): Parsed {
  const anyArguments = specifier.endsWith(" *") || specifier.endsWith(":*");
  const name = compileGlob(anyArguments ? specifier.slice(0, -2).trim() : specifier);
  return { subject: { on: "skill", tool, name, anyArguments } };
}

interface Parameter {
  readonly name: string;
  readonly value: string;
}

function readParameter(facts: ToolFacts | undefined, specifier: string): Parameter | undefined {
  const match = /^([A-Za-z_][A-Za-z0-9_-]*)\s*:\s*(.*)$/s.exec(specifier);
  const isDrive = /^[A-Za-z]:[\\/]/.test(specifier);
  if (!match?.[1] || isDrive) return undefined;
  const [, name, value = ""] = match;
  const kind = facts?.specifier;
  if (kind === "domain" && name === "domain") return undefined;
  if (kind === "command" && SHELL_PROGRAMS.has(name) && value === "*") return undefined;
  // A path with a colon can be a misspelt field; other specifiers may contain a colon themselves.
  if (kind === undefined || isPathKind(kind)) return { name, value };
  return facts?.fields && !facts.fields.includes(name) ? undefined : { name, value };
}

const isPathKind = (kind: ToolFacts["specifier"]): boolean => kind === "read" || kind === "write";

function parseParameter(tool: string, facts: ToolFacts | undefined, parameter: Parameter, behavior: Behavior): Parsed {
  const { name, value } = parameter;
  const { fields } = facts ?? {};
  if (isPathKind(facts?.specifier) && fields && !fields.includes(name)) return noSuchField(tool, parameter, fields);
  if (facts?.subject?.includes(name))
    return neverMatches(
      `A rule on ${tool}'s "${name}" can be bypassed by writing the same thing differently.`,
      `Write ${tool}(${facts.specifier === "domain" ? "domain:host" : "pattern"}), which checks the effects.`,
    );
  if (behavior === "allow")
    return neverMatches(
      `${tool}(${name}:...) ignores the rest of the call, so it cannot allow.`,
      "Parameter rules are for deny and ask.",
    );
  if (value === "") return neverMatches(`${tool}(${name}:) has no value.`, "Write the value, or * for any.");
  return { subject: { on: "parameter", tool, parameter: name, value: compileGlob(value) } };
}

function noSuchField(tool: string, { name, value }: Parameter, fields: readonly string[]): Parsed {
  const near = nearest(name, fields);
  return neverMatches(
    `${tool} has no field "${name}", so the rule never matches.`,
    `${near === undefined ? "" : `Did you mean ${near}? `}For a file of that name write ${tool}(./${name}:${value}).`,
  );
}
