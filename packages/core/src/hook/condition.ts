import { namedFileSteps } from "../policy/engine/named-files.ts";
import { startedSteps } from "../policy/engine/started/steps.ts";
import { pathFold, type RuleProblem, type RuleRef, type Situation, type Workspace } from "../policy/index.ts";
import { parsePathPattern } from "../policy/pattern/path-pattern.ts";
import { identify, inputHits, toolHits } from "../policy/rule/match-call.ts";
import { effectHits } from "../policy/rule/match-effect.ts";
import { parseRule } from "../policy/rule/parse.ts";
import type { Subject } from "../policy/rule/rule.ts";
import { indexRules } from "../policy/rule/rule-index.ts";
import { EFFECT_WORDS } from "../policy/rule/vocabulary.ts";
import { builtinToolNames } from "../policy/toolset/names.ts";

/** Whether a hook applies to a call. */
export type Condition = (call: Situation) => boolean;

/**
 * Compiles the `if` of a hook: one permission rule, tested like an ask rule. It tests every command of a compound,
 * inside substitutions, behind wrappers and assignments, and every path by each of its names. Unreadable parts count as
 * a match: a guard that runs needlessly does less harm than one that does not run.
 *
 * `/path` is relative to the root of the workspace, `dir/**` is only the folder in the current one.
 */
export function compileCondition(
  rule: string,
  workspace: Workspace,
): { readonly condition: Condition } | { readonly problem: RuleProblem } {
  const parsed = parseRule(rule, "ask");
  if ("problem" in parsed) {
    const own = ownCondition(rule);
    return own ? { condition: own } : parsed;
  }
  const subject = nearby(parsed.rule.subject);
  const fold = pathFold(workspace.platform);
  const ref: RuleRef = { rule, behavior: "ask", origin: "project" };
  const index = indexRules([{ ref, subject }], workspace, fold);
  const ignoresCase = workspace.platform === "darwin" || workspace.platform === "win32";
  return {
    condition(call) {
      const identity = identify(call.tool, builtinToolNames);
      if (toolHits(index, identity).length > 0 || inputHits(index, identity, call.input).length > 0) return true;
      const context = { ignoresCase, identity };
      // Parts that the rule may turn out to match only during the run count as unreadable.
      if (startedSteps(index, "ask", call.effects, context).length > 0) return true;
      if (namedFileSteps(index, "ask", call.effects, workspace.home).length > 0) return true;
      return call.effects.some((effect) => {
        if (effect.do === "unknown") return looksAtEffects(subject);
        const { full, partial } = effectHits(index, "ask", effect, context);
        return full.size > 0 || partial.length > 0;
      });
    },
  };
}

/**
 * Analyses a call once; the function then answers for any number of rules whether they match the call. If it cannot
 * tell, it answers yes, which is right for hooks. The policy decides what allows a call, and answers no there.
 */
export function preparePermissionMatcher(call: Situation, workspace: Workspace): (rule: string) => boolean {
  return (rule) => {
    try {
      const compiled = compileCondition(rule, workspace);
      return "problem" in compiled || compiled.condition(call);
    } catch {
      return true;
    }
  };
}

/**
 * A specifier that only the tool itself can interpret. If the tool does not answer, the condition matches every call of
 * the tool.
 */
function ownCondition(rule: string): Condition | undefined {
  const [, name, specifier] = /^([A-Za-z][\w.-]*)\((.+)\)$/s.exec(rule.trim()) ?? [];
  if (name === undefined || specifier === undefined || builtinToolNames.canonical(name) !== undefined) return undefined;
  if (name.startsWith("mcp__") || EFFECT_WORDS.some((word) => word === name)) return undefined;
  return ({ tool, matches }) => {
    if (tool.name !== name && !tool.aliases?.includes(name)) return false;
    try {
      return matches?.(specifier) ?? true;
    } catch {
      return true;
    }
  };
}

/** As a condition, a single folder `dir/**` means the one in the current folder, as it does in allow rules. */
function nearby(subject: Subject): Subject {
  if (subject.on !== "path") return subject;
  const pattern = parsePathPattern(subject.pattern.source, "allow");
  return "problem" in pattern ? subject : { ...subject, pattern: { ...pattern, isExact: false } };
}

/** Rules on the tool or on its input do not need the effects. */
const looksAtEffects = ({ on }: Subject): boolean =>
  on === "path" || on === "command" || on === "host" || on === "target" || on === "agent";
