import type { TraceStep } from "../../policy/index.ts";
import type { Flight, Stage } from "../flight.ts";
import { LOOP_LIMITS, sameCall } from "../loop-guard.ts";

/** Warns a model that repeats itself, and finally stops the turn. */
export const repetition: Stage = (flight: Flight) => {
  const guard = flight.machine.loopGuard;
  if (!guard || !flight.traits) return;
  const count = guard.note(keyOf(flight), flight.known, flight.result!, flight.traits);
  if (count < LOOP_LIMITS.warn) return;
  flight.context.push(`This same call has now had this same result ${count} times. Do something else.`);
  if (count >= LOOP_LIMITS.stop) flight.stop = `${flight.call.tool} was called ${count} times with the same result.`;
};

/** Asks about a call that would only repeat itself once more, even if it is allowed. */
export function repetitionOf(flight: Flight): TraceStep | undefined {
  const guard = flight.machine.loopGuard;
  const repeats = guard ? guard.repeats(keyOf(flight), flight.known) : 0;
  if (repeats < LOOP_LIMITS.ask - 1) return undefined;
  const note = `The same call has had the same result ${repeats} times; it looks like a loop.`;
  return { step: "default", outcome: "ask", note };
}

/** Computed once for an input, because the key is its whole text. */
function keyOf(flight: Flight): string {
  if (!flight.same || flight.same.input !== flight.input) {
    flight.same = { input: flight.input, key: sameCall(flight.call.tool, flight.input) };
  }
  return flight.same.key;
}
