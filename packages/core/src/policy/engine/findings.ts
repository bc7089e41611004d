import type { ErrorCode } from "../../tool/index.ts";
import type { Behavior, RuleRef, TraceStep } from "../decision.ts";

const SEVERITY: Readonly<Record<Behavior | "pass", number>> = { pass: -1, allow: 0, ask: 1, deny: 2 };

/** Returns the step that decides: the strictest, and among equals the first. Adding a step can therefore only tighten. */
export function strictest(steps: readonly TraceStep[]): TraceStep | undefined {
  let winner: TraceStep | undefined;
  for (const step of steps)
    if (step.outcome !== "pass" && (!winner || SEVERITY[step.outcome] > SEVERITY[winner.outcome])) winner = step;
  return winner;
}

/** The kind of refusal of a denying step. */
export function refusalCode(step: TraceStep): ErrorCode {
  if (step.step === "deny") return step.rule ? "denied_by_rule" : "forbidden_command";
  if (step.step === "hook") return "denied_by_hook";
  return step.step === "flow" ? "denied_by_rule" : "denied_by_mode";
}

/** A rule with its place, for a sentence: `"Read(.env)" (.haft/settings.json:4)`. */
export function nameRule(rule: RuleRef): string {
  if (rule.file === undefined) return `"${rule.rule}" (${rule.origin} rule)`;
  return `"${rule.rule}" (${rule.file}${rule.line === undefined ? "" : `:${rule.line}`})`;
}
