import { type Mode, type Policy, parseRule, type RuleSource, type ToolNames } from "@haft/core/policy";
import type { Plans } from "@haft/core/tool";

/** The policy of a session, and the ways to change it. */
export interface ChangingPolicy {
  now(): Policy;
  change(next: (policy: Policy) => Policy): void;
}

export interface PlanMode extends Plans {
  /** A person chooses the mode. */
  set(mode: Mode): void;
  /** Ends the grants of a plan: the user has said something new. */
  endRun(): void;
}

/** Plan mode of a session: entering and leaving it, with the grants of an approved plan. */
export function planMode(policy: ChangingPolicy, names: ToolNames): PlanMode {
  let before: Mode | undefined;
  let granted: readonly RuleSource[] = [];

  function withoutGrants(from: Policy): readonly RuleSource[] {
    const gone = new Set(granted);
    granted = [];
    return from.rules.filter((rule) => !gone.has(rule));
  }

  function enter(): void {
    const { mode } = policy.now();
    if (mode !== "plan") before = mode;
    policy.change((from) => from.with({ mode: "plan", rules: withoutGrants(from) }));
  }

  return {
    enter,
    set(mode) {
      if (mode === "plan") return enter();
      before = undefined;
      policy.change((from) => from.with({ mode, rules: withoutGrants(from) }));
    },
    problems: (effects) => effects.flatMap((effect) => problemOf(effect, names) ?? []),
    leave(effects) {
      const mode = before ?? "default";
      before = undefined;
      policy.change((from) => {
        const rest = withoutGrants(from);
        granted = effects.map((text): RuleSource => ({ behavior: "allow", origin: "session", text }));
        return from.with({ mode, rules: [...rest, ...granted] });
      });
      return policy.now().mode;
    },
    endRun() {
      if (granted.length > 0) policy.change((from) => from.with({ rules: withoutGrants(from) }));
    },
  };
}

/** The problem with an effect of a plan. A person agrees to what they can see, so a whole tool is not a valid effect. */
function problemOf(effect: string, names: ToolNames): string | undefined {
  const parsed = parseRule(effect, "allow", names);
  if ("problem" in parsed) return `"${effect}": ${parsed.problem.message} ${parsed.problem.cure}`;
  return parsed.rule.subject.on === "tool"
    ? `"${effect}" would grant every call of ${effect}. Say which: ${effect}(…), or write(…), connect(…).`
    : undefined;
}
