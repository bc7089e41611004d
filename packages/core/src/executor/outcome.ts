import { staticTraits } from "../tool/index.ts";
import { type CallOutcome, statusOf } from "./call.ts";
import { type Flight, isHarmlessDryRun } from "./flight.ts";

/** The outcome of a finished call. Computed once, as long as its result stays the same. */
export function outcomeOf(flight: Flight): CallOutcome {
  if (flight.outcome?.result !== flight.result) flight.outcome = made(flight);
  return flight.outcome!;
}

function made(flight: Flight): CallOutcome {
  const { machine, call, effects, decision, approval, rewrittenBy, stop } = flight;
  const startedAt = flight.ranAt ?? flight.startedAt;
  const result = flight.result!;
  return {
    call,
    agent: machine.agent,
    status: statusOf(result),
    result,
    input: flight.input ?? flight.raw,
    effects,
    traits: flight.traits ?? staticTraits(flight.entry?.tool.can ?? []),
    ...(decision ? { decision } : {}),
    ...(approval ? { approval } : {}),
    ...(rewrittenBy === undefined ? {} : { rewrittenBy }),
    ...(stop === undefined ? {} : { stop }),
    ...(decision && isHarmlessDryRun(flight) ? { dryRun: true } : {}),
    startedAt,
    durationMs: flight.ranMs ?? 0,
  };
}
