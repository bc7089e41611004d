import type { Behavior, Origin, RuleRef } from "../decision.ts";
import type { CommandPattern } from "../pattern/command-pattern.ts";
import type { Glob } from "../pattern/glob.ts";
import type { HostPattern } from "../pattern/host-pattern.ts";
import type { PathPattern } from "../pattern/path-pattern.ts";

/** One rule as written, with its place. */
export interface RuleSource {
  readonly behavior: Behavior;
  readonly origin: Origin;
  readonly file?: string;
  /** Line in `file`, from 1. */
  readonly line?: number;
  readonly text: string;
}

/** The subject of a rule. */
export type Subject =
  /** The tool by its canonical name, whatever the call does. */
  | { readonly on: "tool"; readonly name: string }
  /** Tools by a glob over their whole name. */
  | { readonly on: "tools"; readonly glob: Glob }
  /** An MCP tool by its full name, or all tools of a server: `mcp__server` may mean either. */
  | { readonly on: "server"; readonly name: string }
  /** A top-level scalar of the call's input. */
  | { readonly on: "parameter"; readonly tool: string; readonly parameter: string; readonly value: Glob }
  /** A skill by name; with `anyArguments` also with arguments. */
  | { readonly on: "skill"; readonly tool: string; readonly name: Glob; readonly anyArguments: boolean }
  | { readonly on: "path"; readonly word: PathWord; readonly pattern: PathPattern }
  /** `tool` is absent for `run(...)`, which matches any tool that runs the command. */
  | {
      readonly on: "command";
      readonly pattern: CommandPattern;
      readonly tool?: string;
      readonly language?: "powershell";
    }
  | { readonly on: "host"; readonly pattern: HostPattern; readonly tool?: string }
  /** `channel`, `channel/to`, `server`, `server/tool`. */
  | { readonly on: "target"; readonly word: "send" | "call"; readonly target: Glob }
  | { readonly on: "agent"; readonly name: Glob }
  /** Accepted and never consulted. */
  | { readonly on: "nothing" };

export type PathWord = "read" | "write" | "delete";

/** A parsed rule: its subject and its behavior. */
export interface Rule {
  readonly text: string;
  readonly behavior: Behavior;
  readonly subject: Subject;
  readonly warnings: readonly RuleProblem[];
}

/** A problem of a rule that a person should know. A policy with an `error` may not start. */
export interface RuleProblem {
  readonly severity: "error" | "warning";
  readonly rule: string;
  readonly message: string;
  readonly cure: string;
  /** The rule can be read but never matches. The documented grammar ignores such rules; settings with one do not load. */
  readonly neverMatches?: true;
}

/** The reference to the rule in a decision. */
export const ruleRef = (source: RuleSource): RuleRef => ({
  rule: source.text,
  behavior: source.behavior,
  origin: source.origin,
  ...(source.file === undefined ? {} : { file: source.file }),
  ...(source.line === undefined ? {} : { line: source.line }),
});
