import { type Behavior, createToolFilter, type Policy, type RuleRef, type Settings } from "@haft/core/policy";
import type { Effect } from "@haft/core/tool";
import type { LogEntry } from "@haft/service";

/** A recorded call with a different decision now. */
interface Difference {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly before: Behavior;
  readonly now: Behavior;
  /** The reason for the decision now. */
  readonly reason: string;
  readonly rule?: RuleRef;
  /** The recorded status of the call. */
  readonly status: string;
}

/** The decisions of a session under other rules. */
export interface PolicyReplay {
  readonly calls: number;
  /** Calls that ended before a decision. */
  readonly undecided: number;
  readonly differences: readonly Difference[];
}

/**
 * Decides every recorded call again. Uses the effects recorded at the time: the environment has changed since, and the
 * question is what the rules would have decided then.
 */
export function replayPolicy(entries: readonly LogEntry[], policy: Policy, settings: Settings): PolicyReplay {
  const calls = entries.filter(({ t }) => t === "call");
  const decided = calls.flatMap((entry) => readCall(entry) ?? []);
  const judge = judgeOf(policy, settings);
  const differences = decided.flatMap((call): Difference[] => {
    const { id, tool, input, before, status } = call;
    const { decision: now, reason, rule } = judge(call);
    return now === before ? [] : [{ id, tool, input, before, now, reason, ...(rule ? { rule } : {}), status }];
  });
  return { calls: calls.length, undecided: calls.length - decided.length, differences };
}

interface RecordedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly effects: readonly Effect[];
  readonly before: Behavior;
  readonly status: string;
  /** The call was decided as a dry run. */
  readonly dryRun: boolean;
}

/** The parts of a call's entry that are needed to judge it again. Another version may have written the record. */
function readCall(entry: LogEntry): RecordedCall | undefined {
  const { id, tool, input, effects, decision, status, dryRun } = entry;
  const before = (["allow", "ask", "deny"] as const).find((behavior) => behavior === decision);
  if (typeof id !== "string" || typeof tool !== "string" || !Array.isArray(effects) || !before) return undefined;
  const ended = typeof status === "string" ? status : "";
  return { id, tool, input, effects: effects as Effect[], before, status: ended, dryRun: dryRun === true };
}

interface Judgement {
  readonly decision: Behavior;
  readonly reason: string;
  readonly rule?: RuleRef;
}

/** Makes the two checks in their order: whether the tool exists, and whether the call is allowed. */
function judgeOf(policy: Policy, settings: Settings): (call: RecordedCall) => Judgement {
  const filter = createToolFilter(settings.toolPolicies);
  return ({ tool: name, input, effects, dryRun }) => {
    const server = /^mcp__(.+?)__/.exec(name)?.[1];
    const tool = {
      name,
      origin: server === undefined ? "builtin" : "mcp",
      ...(server === undefined ? {} : { server }),
    };
    const gone = absence(name, settings) ?? filter.exclusion(tool)?.reason;
    if (gone !== undefined) return { decision: "deny", reason: `The tool would not exist: ${gone}.` };
    const autoExecute = settings.tools?.[name]?.autoExecute;
    const { decision, reason, rule } = policy.decide({
      tool: { ...tool, ...(autoExecute === undefined ? {} : { autoExecute }) },
      input,
      effects,
      ...(dryRun ? { isDryRun: true } : {}),
    });
    return { decision, reason, ...(rule ? { rule } : {}) };
  };
}

function absence(name: string, { enableToolCalls, useTools, tools }: Settings): string | undefined {
  if (enableToolCalls === false) return "enableToolCalls is false";
  if (useTools && !useTools.includes(name)) return "useTools does not list it";
  return tools?.[name]?.enabled === false ? `tools.${name}.enabled is false` : undefined;
}
