import { nearest } from "../../schema/nearest.ts";
import type { Behavior } from "../decision.ts";
import { compileCommand, findOperator } from "../pattern/command-pattern.ts";
import { compileGlob, hasStar } from "../pattern/glob.ts";
import { compileHost } from "../pattern/host-pattern.ts";
import { parsePathPattern } from "../pattern/path-pattern.ts";
import { neverMatches, type Parsed } from "./parsed.ts";
import type { PathWord } from "./rule.ts";
import {
  PARAMETERS,
  PATH_TOOL_FIELDS,
  PRIMARY_FIELDS,
  READERS,
  type RuleWord,
  SHELL_PROGRAMS,
  SHELLS,
  WRITERS,
} from "./vocabulary.ts";

/** A specifier with what stands in front of its parenthesis. */
export type Specified = { readonly specifier: string; readonly behavior: Behavior } & (
  | { readonly word: RuleWord }
  | { readonly tool: string; readonly writtenAs: string }
);

/** Reads what stands in the parentheses. */
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

function parseForTool(rule: Specified & { tool: string; writtenAs: string }): Parsed {
  const { tool, writtenAs, specifier, behavior } = rule;
  const parameter = readParameter(tool, specifier);
  if (parameter) return parseParameter(tool, parameter, behavior);
  if (SHELLS.has(tool)) return parseCommand(specifier, tool);
  if (tool === "WebFetch") return parseFetch(specifier);
  if (tool === "Cd") return NO_CD;
  if (READERS.has(writtenAs) || READERS.has(tool)) return substitutePath("read", rule, "Read");
  if (WRITERS.has(writtenAs) || WRITERS.has(tool)) return substitutePath("write", rule, "Edit");
  if (tool === "Read") return parsePath("read", specifier, behavior);
  if (tool === "Edit") return parsePath("write", specifier, behavior);
  if (tool === "Agent") return { subject: { on: "agent", name: compileGlob(specifier) } };
  if (tool === "Skill") return parseSkill(tool, specifier);
  return neverMatches(
    `${tool} knows no specifier "${specifier}".`,
    `Write ${writtenAs} for every call${behavior === "allow" ? "" : `, or ${writtenAs}(field:value)`}; files, commands and hosts are ruled by read(path), write(path), run(command) and connect(host).`,
  );
}

/** The documented rule about a person's own command `/cd`. No call is one. */
const NO_CD: Parsed = {
  subject: { on: "nothing" },
  warning: { message: "Cd(...) rules are about a command of another program.", cure: "Rule files with Read(path)." },
};

/** `Write(p)`, `Grep(p)` and the like: stricter than documented as deny or ask, as documented when they would allow. */
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

function parseCommand(specifier: string, tool?: string): Parsed {
  const operator = findOperator(specifier);
  if (operator !== undefined) return spansCommands(operator);
  if (/^\s*:?\*?\s*$/.test(specifier) && specifier.trim() !== "*")
    return neverMatches(`"${specifier}" names no command.`, `Write ${tool ?? "Bash"} for every call.`);
  return { subject: { on: "command", pattern: compileCommand(specifier), ...(tool === undefined ? {} : { tool }) } };
}

function spansCommands(operator: string): Parsed {
  const shown = operator === "\n" ? "a line break" : `"${operator}"`;
  return neverMatches(
    `A command pattern with ${shown} never matches: scripts are judged command by command, redirections as files.`,
    /[<>]/.test(operator)
      ? "Rule the command here and the file with Read(path) or Edit(path)."
      : "Write one rule for each command.",
  );
}

function parseFetch(specifier: string): Parsed {
  const domain = /^domain\s*:\s*(.*)$/.exec(specifier)?.[1];
  if (domain === undefined)
    return neverMatches(
      `WebFetch rules look at the host, "${specifier}" is none.`,
      "Write WebFetch(domain:example.com).",
    );
  return parseHost(domain, "WebFetch");
}

function parseHost(host: string, tool?: string): Parsed {
  const pattern = compileHost(host);
  if ("problem" in pattern)
    return neverMatches(
      `The rule can never match: ${pattern.problem}.`,
      "Write a host only, such as example.com or *.example.com.",
    );
  return { subject: { on: "host", pattern, ...(tool === undefined ? {} : { tool }) } };
}

function parseTarget(word: "send" | "call", specifier: string, behavior: Behavior): Parsed {
  const first = specifier.split("/", 1)[0] ?? "";
  if (behavior === "allow" && hasStar(first))
    return neverMatches(
      `"${word}(${specifier})" would allow ${word === "call" ? "servers" : "channels"} that nobody has looked at.`,
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

function readParameter(tool: string, specifier: string): Parameter | undefined {
  const match = /^([A-Za-z_][A-Za-z0-9_-]*)\s*:\s*(.*)$/s.exec(specifier);
  const isDrive = /^[A-Za-z]:[\\/]/.test(specifier);
  if (!match?.[1] || isDrive) return undefined;
  const [, name, value = ""] = match;
  if (tool === "WebFetch" && name === "domain") return undefined;
  if (SHELLS.has(tool) && SHELL_PROGRAMS.has(name) && value === "*") return undefined;
  const fields = PARAMETERS.get(tool);
  return fields && !fields.includes(name) ? undefined : { name, value };
}

function parseParameter(tool: string, parameter: Parameter, behavior: Behavior): Parsed {
  const { name, value } = parameter;
  const fields = PATH_TOOL_FIELDS.get(tool);
  if (fields && !fields.includes(name)) return noSuchField(tool, parameter, fields);
  if (PRIMARY_FIELDS.get(tool)?.includes(name))
    return neverMatches(
      `A rule on ${tool}'s "${name}" could be passed by writing the same thing differently.`,
      `Write ${tool}(${name === "url" ? "domain:host" : "pattern"}), which looks at what would happen.`,
    );
  if (behavior === "allow")
    return neverMatches(
      `${tool}(${name}:...) says nothing about the rest of the call, so it cannot allow.`,
      "Parameter rules are for deny and ask.",
    );
  if (value === "") return neverMatches(`${tool}(${name}:) compares with nothing.`, "Write the value, or * for any.");
  return { subject: { on: "parameter", tool, parameter: name, value: compileGlob(value) } };
}

function noSuchField(tool: string, { name, value }: Parameter, fields: readonly string[]): Parsed {
  const near = nearest(name, fields);
  return neverMatches(
    `${tool} has no field "${name}", so the rule can never match.`,
    `${near === undefined ? "" : `Did you mean ${near}? `}For a file of that name write ${tool}(./${name}:${value}).`,
  );
}
