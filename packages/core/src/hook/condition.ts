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

/** Whether a hook is for a call. */
export type Condition = (call: Situation) => boolean;

/**
 * Reads the `if` of a hook: one permission rule, tested as an ask rule would be (every command of a compound, inside
 * substitutions, behind wrappers and assignments; every path by each of its names). What cannot be seen into counts as
 * a hit: a guard that need not have run does less harm than one that did not.
 *
 * `/path` counts from the root of the workspace, `dir/**` is the folder in the current one only.
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
      // What the rule could come to mean in the run is nothing that can be seen into.
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
 * Looks at a call once; the function then answers for any number of rules whether the call is one that they mean. It
 * answers yes where it cannot tell: right for hooks. What allows a call is the policy's business, which says no there.
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

/** A specifier that only the tool itself can read. Without a word from it, every call of the tool is meant. */
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

/** Rules on the tool or on its input say all there is to say without the effects. */
const looksAtEffects = ({ on }: Subject): boolean =>
  on === "path" || on === "command" || on === "host" || on === "target" || on === "agent";
