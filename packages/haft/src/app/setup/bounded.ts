import {
  type Decision,
  type Policy,
  parseRule,
  type RuleSource,
  type Situation,
  type ToolNames,
} from "@haft/core/policy";
import { type Effect, fail } from "@haft/core/tool";

/** A policy that also refuses every effect that no rule of `bound` covers. */
export function bounded(policy: Policy, bound: readonly string[], who: string): Policy {
  const inside = policy.with({
    rules: bound.map((text): RuleSource => ({ behavior: "allow", origin: "session", text })),
  });
  return {
    get mode() {
      return policy.mode;
    },
    get workspace() {
      return policy.workspace;
    },
    get rules() {
      return policy.rules;
    },
    get problems() {
      return policy.problems;
    },
    get generation() {
      return `${policy.generation}|${bound.join("|")}`;
    },
    decide(situation) {
      const decision = policy.decide(situation);
      const outside = decision.decision === "deny" ? [] : inside.uncovered(situation).filter(needsRule);
      return outside.length === 0 ? decision : refusal(situation, outside, bound, who);
    },
    uncovered: (situation) => policy.uncovered(situation),
    blanketDeny: (tool) => policy.blanketDeny(tool),
    with: (changes) => bounded(policy.with(changes), bound, who),
  };
}

/** Problems with the rules of a bound, one sentence each. */
const boundProblems = (bound: readonly string[], names?: ToolNames): readonly string[] =>
  bound.flatMap((text) => {
    const parsed = parseRule(text, "allow", names);
    return "problem" in parsed ? [`"${text}": ${parsed.problem.message} ${parsed.problem.cure}`] : [];
  });

/** @throws HaftError `invalid_input` for a bound that cannot be read: it would cover nothing. */
export function checkBound(bound: readonly string[], names?: ToolNames): void {
  const [first, ...more] = boundProblems(bound, names);
  if (first !== undefined)
    fail(
      "invalid_input",
      [first, ...more].join("\n"),
      "Write each effect as a rule: write(src/**), Bash(npm test), connect(example.org).",
    );
}

/** Session notes and questions change nothing, and an agent's own budget limits the agents that it starts. */
const needsRule = ({ do: word }: Effect): boolean => word !== "state" && word !== "ask" && word !== "delegate";

function refusal({ effects }: Situation, outside: readonly Effect[], bound: readonly string[], who: string): Decision {
  const has = bound.length === 0 ? "none" : bound.join(", ");
  const reason = `The budget of ${who} does not include ${outside.map(wordsOf).join(", ")}. It includes: ${has}.`;
  const effect = outside[0] && effects.indexOf(outside[0]);
  const step = {
    step: "flow" as const,
    outcome: "deny" as const,
    note: reason,
    ...(effect === undefined || effect < 0 ? {} : { effect }),
  };
  return {
    decision: "deny",
    reason,
    code: "limit_reached",
    trace: [step],
    suggestions: [],
    grant: { effects: [], holes: [] },
  };
}

function wordsOf(effect: Effect): string {
  switch (effect.do) {
    case "read":
    case "write":
      return `${effect.do}(${effect.path}${effect.tree ? "/**" : ""})`;
    case "run":
      return `run(${effect.text})`;
    case "connect":
      return `connect(${effect.host})`;
    case "send":
      return `send(${effect.channel})`;
    case "call":
      return `mcp__${effect.server}__${effect.tool}`;
    default:
      return effect.do === "unknown" ? `unknown effects (${effect.why})` : effect.do;
  }
}
