import type { Effect } from "../tool/index.ts";
import { blanketHit } from "./blanket.ts";
import type { Decision, Mode, PolicyTool, RuleRef, Situation, Workspace } from "./decision.ts";
import { effectsWithoutRule } from "./engine/decide.ts";
import { assemble, type ExtraStep } from "./engine/machine.ts";
import { rememberingDecide } from "./engine/remembered.ts";
import { type PlacedProblem, type RuleBook, readRules } from "./engine/rule-book.ts";
import { FORBIDDEN_COMMANDS } from "./guard/forbidden.ts";
import type { RuleSource } from "./rule/rule.ts";
import type { ToolNames } from "./toolset/names.ts";

/** The parts of a policy. */
export interface PolicyOptions {
  readonly workspace: Workspace;
  /** Default: none. Without rules the mode alone decides. */
  readonly rules?: readonly RuleSource[];
  /** Default: `default`. */
  readonly mode?: Mode;
  /** Whether the project's allow rules count. Default: no. */
  readonly trusted?: boolean;
  /** The tools that exist. With it, a rule for an unknown tool is an error. */
  readonly tools?: ToolNames;
  /** Commands that never run. Default: `FORBIDDEN_COMMANDS`. */
  readonly forbidden?: readonly string[];
  /** Files that may be written in plan mode. Absolute real paths. */
  readonly planFiles?: readonly string[];
  /** Whether private content has been read in this session. Default: no. */
  readonly sawPrivate?: () => boolean;
  /**
   * Whether something prevents a program that is proved to only read from reading what rules close below a folder. Such
   * a read is then allowed without the closed files. Default: nothing prevents it, so a person is asked.
   */
  readonly keepsReaders?: (folder: string, workspace: Workspace) => boolean;
  /** A further check between the guards and the mode. It can only tighten. */
  readonly extra?: ExtraStep;
}

/** The parts that may change during a session. */
export interface PolicyChanges extends Partial<Omit<PolicyOptions, "workspace">> {
  readonly workspace?: Workspace;
  /** The folder that a command changed into. It never makes a rule more lenient. */
  readonly cwd?: string;
  /** Allow rules that a person granted, added as session rules. */
  readonly grant?: readonly string[];
}

/** All rules in force, with the mode: one immutable value. */
export interface Policy {
  readonly mode: Mode;
  readonly workspace: Workspace;
  readonly rules: readonly RuleSource[];
  /** Problems of the rules. With an `error` nothing should start. */
  readonly problems: readonly PlacedProblem[];
  /** A fingerprint of the content: differs whenever the content differs, equal for equal content. Grants are bound to it. */
  readonly generation: string;
  /** Judges one call. Pure, synchronous, never throws. */
  decide(situation: Situation): Decision;
  /** The effects of a call that no allow rule covers, whatever the mode says: everything outside the bounds that the rules set. */
  uncovered(situation: Situation): readonly Effect[];
  /** The deny rule that forbids a tool whatever its input. Such a tool is not offered. */
  blanketDeny(tool: PolicyTool): RuleRef | undefined;
  /** The policy with some of its content changed. */
  with(changes: PolicyChanges): Policy;
}

/** Makes a policy from its content. Unreadable rules are reported as `problems`; they never make the policy more lenient. */
export function createPolicy(options: PolicyOptions): Policy {
  return policyFrom(options, options.workspace.cwd);
}

function policyFrom(options: PolicyOptions, firstCwd: string, read?: RuleBook): Policy {
  const { workspace, rules = [], mode = "default", trusted = false, tools, extra } = options;
  const book = read ?? readRules(rules, trusted, tools);
  const forbidden = options.forbidden ?? FORBIDDEN_COMMANDS;
  const machine = assemble({
    book,
    mode,
    workspace,
    firstCwd,
    known: tools,
    forbidden,
    planFiles: options.planFiles ?? [],
    sawPrivate: options.sawPrivate,
    keepsReaders: options.keepsReaders,
    extra,
  });
  // Every call needs it and the content never changes, so it is computed once.
  let generation: string | undefined;
  return {
    mode,
    workspace,
    rules,
    problems: book.problems,
    get generation() {
      generation ??= fingerprint([
        mode,
        trusted,
        workspace,
        firstCwd,
        rules,
        forbidden,
        options.planFiles ?? [],
        options.keepsReaders !== undefined,
        extra !== undefined,
      ]);
      return generation;
    },
    decide: rememberingDecide(machine),
    uncovered: (situation) => effectsWithoutRule(machine, situation),
    blanketDeny: (tool) => blanketHit(machine.rules.deny, tool, machine.names),
    with(changes) {
      const next = changed(options, changes);
      const sameRules = (["rules", "trusted", "tools"] as const).every((key) => next[key] === options[key]);
      return policyFrom(next, changes.workspace?.cwd ?? firstCwd, sameRules ? book : undefined);
    },
  };
}

function changed(options: PolicyOptions, changes: PolicyChanges): PolicyOptions {
  const { cwd, grant = [], ...rest } = changes;
  const merged = { ...options, ...rest };
  const granted = grant.map((text): RuleSource => ({ behavior: "allow", origin: "session", text }));
  return {
    ...merged,
    ...(cwd === undefined ? {} : { workspace: { ...merged.workspace, cwd } }),
    ...(granted.length === 0 ? {} : { rules: [...(merged.rules ?? []), ...granted] }),
  };
}

/** 64 bits of FNV-1a in two halves. Distinguishes contents, but does not resist an attacker. */
function fingerprint(content: unknown): string {
  const text = JSON.stringify(content);
  const half = (seed: number): string => {
    let hash = seed;
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
    return hash.toString(16).padStart(8, "0");
  };
  return half(0x811c9dc5) + half(0x9747b28c);
}
