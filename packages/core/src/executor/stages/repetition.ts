import type { Decision } from "../../policy/index.ts";
import type { Flight, Stage } from "../flight.ts";
import { LOOP_LIMITS } from "../loop-guard.ts";

/** Tells the model when it goes round in circles, and in the end stops the turn. */
export const repetition: Stage = (flight: Flight) => {
  const guard = flight.machine.loopGuard;
  if (!guard || !flight.traits) return;
  const count = guard.note(flight.call.tool, flight.input, flight.result!, flight.traits);
  if (count < LOOP_LIMITS.warn) return;
  flight.context.push(
    `This is the ${count}th time in a row that this same call has had this same result. Do something else.`,
  );
  if (count >= LOOP_LIMITS.stop) flight.stop = `${flight.call.tool} was called ${count} times with the same result.`;
};

/** A call that would only repeat itself once more is asked about, even where it is allowed. */
export function askAboutRepetition(flight: Flight, decision: Decision): Decision {
  const guard = flight.machine.loopGuard;
  const repeats = guard ? guard.repeats(flight.call.tool, flight.input) : 0;
  if (decision.decision !== "allow" || repeats < LOOP_LIMITS.ask - 1) return decision;
  const reason = `The same call has had the same result ${repeats} times; it looks like a loop.`;
  const step = { step: "default" as const, outcome: "ask" as const, note: reason };
  return { ...decision, decision: "ask", reason, trace: [...decision.trace, step] };
}
