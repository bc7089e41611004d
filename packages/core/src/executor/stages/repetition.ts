import type { TraceStep } from "../../policy/index.ts";
import type { CallRun, EndedRun, Stage } from "../call-run.ts";
import { LOOP_LIMITS, sameCall } from "../loop-guard.ts";

/** Warns a model that repeats itself, and finally stops the turn. */
export const repetition: Stage<EndedRun> = (callRun) => {
  const guard = guardOf(callRun);
  if (!guard || !callRun.traits) return;
  const count = guard.note(keyOf(callRun), callRun.known, callRun.result, callRun.traits);
  if (count < LOOP_LIMITS.warn) return;
  callRun.context.push(`This call has returned the same result ${count} times. Do something else.`);
  if (count >= LOOP_LIMITS.stop) callRun.stop = `${callRun.call.tool} was called ${count} times with the same result.`;
};

/** Asks about a call that would only repeat itself once more, even if it is allowed. */
export function repetitionOf(callRun: CallRun): TraceStep | undefined {
  const guard = guardOf(callRun);
  const repeats = guard ? guard.repeats(keyOf(callRun), callRun.known) : 0;
  if (repeats < LOOP_LIMITS.ask - 1) return undefined;
  const note = `The same call returned the same result ${repeats} times; it looks like a loop.`;
  return { step: "default", outcome: "ask", note };
}

/** A program that repeats a call, such as a page that reads a value again, is not a model in a loop. */
const guardOf = ({ machine, request }: CallRun) => (request.isProgram ? undefined : machine.loopGuard);

/** Computed once for an input, because the key is its whole text. */
function keyOf(callRun: CallRun): string {
  if (!callRun.same || callRun.same.input !== callRun.input) {
    callRun.same = { input: callRun.input, key: sameCall(callRun.call.tool, callRun.input) };
  }
  return callRun.same.key;
}
