import { type Behavior, createToolFilter, type Policy, type RuleRef, type Settings } from "@haft/core/policy";
import type { Effect } from "@haft/core/tool";
import type { LogEntry } from "@haft/tools";

/** A recorded call that would be decided otherwise now. */
export interface Difference {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly before: Behavior;
  readonly now: Behavior;
  /** Why it is decided so now. */
  readonly reason: string;
  readonly rule?: RuleRef;
  /** How the call ended. */
  readonly status: string;
}

/** What a session would have been under other rules. */
export interface PolicyReplay {
  readonly calls: number;
  /** Calls that never got as far as a decision. */
  readonly undecided: number;
  readonly differences: readonly Difference[];
}

/**
 * Decides every recorded call again. The effects are those that were found at the time: the world has moved on, and the
 * question is what the rules would have said then.
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
  /** It was decided as a dry run. */
  readonly dryRun: boolean;
}

/** An entry of a call, as far as it can be judged again; a record may come from another version. */
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

/** The two questions in their order: does the tool exist, and may the call happen. */
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
