import { errorText, type ToolError, text } from "@haft/core/tool";
import { type CallPart, callsOf, type Message, type ResultPart } from "./message.ts";

const unknownOutcome: ToolError = {
  code: "outcome_unknown",
  message: "The session ended before this call had a result. It may have run in part or not at all.",
  hint: "Check the current state before you call it again.",
};

const elsewhere: ToolError = {
  code: "outcome_unknown",
  message:
    "This conversation was copied before the call had a result. The call may still wait, run or end in the session that was copied.",
  hint: "Check the current state before you call it again.",
};

/** A copy of the conversation of a session that may go on: its open calls stay with that session. */
export const copied = (messages: readonly Message[]): readonly Message[] => repaired(messages, elsewhere);

/**
 * A conversation that every provider accepts. Each call has exactly one result, in call order, right after its message;
 * results without a call are dropped. A valid conversation is returned unchanged. `open`: the result of a call without one.
 */
export function repaired(messages: readonly Message[], open: ToolError = unknownOutcome): readonly Message[] {
  const whole: Message[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    // Results move along with their calls; others belong to no call.
    if (message.role === "results") continue;
    whole.push(message);
    const calls = callsOf(message);
    if (calls.length === 0) continue;
    const next = messages[index + 1];
    const given = next?.role === "results" ? next : undefined;
    whole.push(
      given && answersAll(calls, given.results)
        ? given
        : { role: "results", results: complete(calls, open, given?.results) },
    );
  }
  return whole.length === messages.length && whole.every((message, index) => message === messages[index])
    ? messages
    : whole;
}

const answersAll = (calls: readonly CallPart[], results: readonly ResultPart[]): boolean =>
  calls.length === results.length && calls.every(({ id }, index) => results[index]!.callId === id);

function complete(
  calls: readonly CallPart[],
  open: ToolError,
  results: readonly ResultPart[] = [],
): readonly ResultPart[] {
  return calls.map(
    ({ id, tool }) =>
      results.find(({ callId }) => callId === id) ?? {
        callId: id,
        tool,
        status: "error",
        content: [text(errorText(open))],
      },
  );
}
