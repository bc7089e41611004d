import { type Behavior, builtinToolNames, parseRule, type RuleProblem } from "@haft/core/policy";

/** The subject of a rule, in terms that other agents have too. */
type Matter =
  | { readonly kind: "command"; readonly pattern: string }
  | { readonly kind: "path"; readonly access: "read" | "write"; readonly path: string }
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string }
  | { readonly kind: "tool"; readonly name: string }
  | { readonly kind: "named"; readonly name: "Agent" | "Skill"; readonly pattern: string }
  | { readonly kind: "other" };

/** One rule with its matter. */
export interface Effect {
  readonly rule: string;
  readonly behavior: Behavior;
  readonly matter: Matter;
}

/** Reads a rule. Returns the problem if Haft itself cannot read it. */
export function readEffect(rule: string, behavior: Behavior): Effect | { readonly problem: RuleProblem } {
  const parsed = parseRule(rule, behavior, builtinToolNames);
  if ("problem" in parsed) return parsed;
  return { rule, behavior, matter: matterOf(rule.trim(), parsed.rule.subject.on) };
}

const READERS: ReadonlySet<string> = new Set(["Read", "Glob", "Grep", "Ls", "ReadManyFiles"]);
const WRITERS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit", "MultiEdit", "apply_patch"]);

function matterOf(rule: string, subject: string): Matter {
  const [, written = "", specifier] = /^([^(]+)(?:\((.*)\))?$/s.exec(rule) ?? [];
  const name = builtinToolNames.canonical(written) ?? written;
  if (subject === "server" || written.startsWith("mcp__")) return remote(written.replace(/^mcp__/, "").split("__"));
  if (specifier === undefined || specifier.trim() === "*") return { kind: "tool", name };
  if (subject === "path") return { kind: "path", access: accessOf(written, name), path: specifier };
  if (subject === "command" && name !== "PowerShell") return { kind: "command", pattern: plainStars(specifier) };
  if (subject === "host") return { kind: "host", host: specifier.replace(/^domain:/, "") };
  if (written === "call") return remote(specifier.split("/"));
  if (subject === "agent") return { kind: "named", name: "Agent", pattern: specifier };
  if (subject === "skill") return { kind: "named", name: "Skill", pattern: specifier };
  return { kind: "other" };
}

const remote = ([server = "", tool = "*"]: readonly string[]): Matter =>
  // A glob over whole names may mean several servers.
  server.includes("*") ? { kind: "tool", name: "mcp__*" } : { kind: "mcp", server, tool };

const accessOf = (written: string, name: string): "read" | "write" =>
  written === "read" || READERS.has(name) ? "read" : written === "write" || WRITERS.has(name) ? "write" : "write";

/** `:*` at the end is another spelling of ` *`. */
const plainStars = (pattern: string): string => pattern.trim().replace(/:\*$/, " *");
