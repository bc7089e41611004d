import { staticTraits } from "../tool/index.ts";
import { type CallOutcome, statusOf } from "./call.ts";
import { type EndedRun, isHarmlessDryRun } from "./call-run.ts";

/** The outcome of a finished call. Computed once, as long as its result stays the same. */
export function outcomeOf(callRun: EndedRun): CallOutcome {
  const { outcome, result } = callRun;
  if (outcome?.result === result) return outcome;
  callRun.outcome = made(callRun);
  return callRun.outcome;
}

function made(callRun: EndedRun): CallOutcome {
  const { machine, call, effects, decision, approval, rewrittenBy, stop } = callRun;
  const startedAt = callRun.ranAt ?? callRun.startedAt;
  const result = callRun.result;
  return {
    call,
    agent: machine.agent,
    status: statusOf(result),
    result,
    input: callRun.input ?? callRun.raw,
    effects,
    traits: callRun.traits ?? staticTraits(callRun.entry?.tool.can ?? []),
    ...(decision ? { decision } : {}),
    ...(approval ? { approval } : {}),
    ...(rewrittenBy === undefined ? {} : { rewrittenBy }),
    ...(stop === undefined ? {} : { stop }),
    ...(decision && isHarmlessDryRun(callRun) ? { dryRun: true } : {}),
    startedAt,
    durationMs: callRun.ranMs ?? 0,
  };
}
