import type { RuleRef } from "@haft/core/policy";
import { oneLine } from "./sanitize.ts";

/**
 * The rule behind a question or a refusal, and its location, as lines of text; empty if `said` already names it. An
 * allow rule is never the reason: something else prevented the call.
 */
export function ruleLine(rule: RuleRef | undefined, said: string): readonly string[] {
  if (!rule || said.includes(rule.rule)) return [];
  const place = rule.file ? ` in ${rule.file}${rule.line === undefined ? "" : `:${rule.line}`}` : "";
  const name = `${oneLine(rule.rule)} (${rule.origin}${oneLine(place)})`;
  return [
    rule.behavior === "allow" ? `  The rule allow ${name} would let it run.` : `  by the rule ${rule.behavior} ${name}`,
  ];
}
