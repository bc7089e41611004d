import type { Behavior, RuleRef } from "../decision.ts";
import { parseRule } from "../rule/parse.ts";
import { type RuleProblem, type RuleSource, ruleRef } from "../rule/rule.ts";
import type { PlacedRule } from "../rule/rule-index.ts";
import type { ToolNames } from "../toolset/names.ts";

/** A problem with the place of its rule. */
export interface PlacedProblem extends RuleProblem {
  readonly source: RuleSource;
}

/** The parsed rules, by behavior. */
export interface RuleBook {
  readonly rules: Readonly<Record<Behavior, readonly PlacedRule[]>>;
  /** Allow rules of an untrusted project: known, named in answers, without effect. */
  readonly inert: readonly PlacedRule[];
  /** Unreadable deny and ask rules. Their intent is unknown, so every call asks. */
  readonly broken: readonly RuleRef[];
  readonly problems: readonly PlacedProblem[];
}

/** Reads all rules. Deny and ask rules of a project always count. Its allow rules count only when the folder is trusted. */
export function readRules(sources: readonly RuleSource[], trusted: boolean, known: ToolNames | undefined): RuleBook {
  const rules: Record<Behavior, PlacedRule[]> = { deny: [], ask: [], allow: [] };
  const inert: PlacedRule[] = [];
  const broken: RuleRef[] = [];
  const problems: PlacedProblem[] = [];
  for (const source of sources) {
    const parsed = parseRule(source.text, source.behavior, known);
    const ref = ruleRef(source);
    if ("problem" in parsed) {
      problems.push({ ...parsed.problem, source });
      if (source.behavior !== "allow") broken.push(ref);
      continue;
    }
    problems.push(...parsed.rule.warnings.map((warning) => ({ ...warning, source })));
    const placed = { ref, subject: parsed.rule.subject };
    if (source.behavior === "allow" && source.origin === "project" && !trusted) inert.push(placed);
    else rules[source.behavior].push(placed);
  }
  return { rules, inert, broken, problems };
}
