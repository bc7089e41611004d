/** @module Checks of rules together. */
import { FORBIDDEN_COMMANDS } from "../guard/forbidden.ts";
import { otherLetterIn, RETYPE } from "../pattern/letters.ts";
import { parseRule } from "../rule/parse.ts";
import type { RuleProblem, RuleSource, Subject } from "../rule/rule.ts";
import type { ToolNames } from "../toolset/names.ts";

/** A remark about a rule, with its place. */
export interface LintFinding extends RuleProblem {
  readonly source: RuleSource;
}

interface ReadRule {
  readonly source: RuleSource;
  readonly subject: Subject;
}

/**
 * Checks rules together. Reports rules that cannot be read, rules that never decide because a stricter rule always
 * comes first, duplicates, and rules that do not mean what they seem to mean.
 */
export function lintRules(sources: readonly RuleSource[], known?: ToolNames): LintFinding[] {
  const findings: LintFinding[] = [];
  const rules: ReadRule[] = [];
  for (const source of sources) {
    const parsed = parseRule(source.text, source.behavior, known);
    if ("problem" in parsed) findings.push({ ...parsed.problem, source });
    else {
      findings.push(...parsed.rule.warnings.map((warning) => ({ ...warning, source })));
      rules.push({ source, subject: parsed.rule.subject });
    }
  }
  for (const [index, rule] of rules.entries()) {
    const remark =
      otherLetters(rule.source.text) ??
      repeated(rule, rules.slice(0, index)) ??
      shadowed(rule, rules) ??
      forbidden(rule) ??
      misplaced(rule);
    if (remark) findings.push({ severity: "warning", rule: rule.source.text, source: rule.source, ...remark });
  }
  return findings;
}

interface Remark {
  readonly message: string;
  readonly cure: string;
}

function repeated({ source }: ReadRule, earlier: readonly ReadRule[]): Remark | undefined {
  const first = earlier.find(
    (rule) =>
      rule.source.text === source.text &&
      rule.source.behavior === source.behavior &&
      rule.source.origin === source.origin,
  );
  return (
    first && { message: `The ${source.behavior} rule is duplicated.`, cure: `Remove one${placeOf(first.source)}.` }
  );
}

const RANK = { deny: 2, ask: 1, allow: 0 } as const;

function shadowed(rule: ReadRule, rules: readonly ReadRule[]): Remark | undefined {
  const stricter = rules.find(
    (other) => RANK[other.source.behavior] > RANK[rule.source.behavior] && includesAllOf(other, rule),
  );
  return (
    stricter && {
      message: `The ${rule.source.behavior} rule "${rule.source.text}" never decides: the ${stricter.source.behavior} rule "${stricter.source.text}"${placeOf(stricter.source)} always comes first.`,
      cure: `Remove it, or narrow the ${stricter.source.behavior} rule.`,
    }
  );
}

/** Whether a rule for whole tools, or an identical rule, covers everything that the other rule covers. */
function includesAllOf(wide: ReadRule, narrow: ReadRule): boolean {
  if (wide.source.text === narrow.source.text && wide.source.origin === narrow.source.origin) return true;
  const tool = toolOf(narrow.subject);
  if (tool === undefined) return false;
  switch (wide.subject.on) {
    case "tool":
      return wide.subject.name === tool;
    case "tools":
      return wide.subject.glob.matches(tool);
    case "server":
      return wide.subject.name === tool || tool.startsWith(`${wide.subject.name}__`);
    default:
      return false;
  }
}

function toolOf(subject: Subject): string | undefined {
  if (subject.on === "tool" || subject.on === "server") return subject.name;
  return subject.on === "command" || subject.on === "host" || subject.on === "skill" ? subject.tool : undefined;
}

function forbidden({ source, subject }: ReadRule): Remark | undefined {
  if (source.behavior !== "allow" || subject.on !== "command") return undefined;
  const program = subject.pattern.words[0] ?? "";
  if (!FORBIDDEN_COMMANDS.includes(program)) return undefined;
  return { message: `"${source.text}" never decides: ${program} is forbidden in every mode.`, cure: "Remove it." };
}

/** `/path` counts from the place where the rule is written. In settings for every project people seldom mean that. */
function misplaced({ source, subject }: ReadRule): Remark | undefined {
  if (subject.on !== "path" || subject.pattern.anchor !== "source") return undefined;
  if (source.origin !== "user" && source.origin !== "managed") return undefined;
  const from = source.origin === "user" ? "the folder of the settings file" : "the folder in which a session starts";
  return {
    message: `"${subject.pattern.source}" is relative to ${from}, not to the root of the file system.`,
    cure: `Write "/${subject.pattern.source}" for an absolute path, "~${subject.pattern.source}" for your home.`,
  };
}

function otherLetters(text: string): Remark | undefined {
  const found = otherLetterIn(text);
  return found === undefined
    ? undefined
    : { message: `${found}, so the rule only matches that spelling.`, cure: RETYPE };
}

function placeOf(source: RuleSource): string {
  if (source.file === undefined) return "";
  return ` (${source.file}${source.line === undefined ? "" : `:${source.line}`})`;
}
