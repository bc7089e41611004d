import { contentsText, fail } from "@haft/core/tool";
import { type Message, userMessage } from "../message.ts";

/** A conversation with some messages cut out. */
export interface Cut {
  readonly messages: readonly Message[];
  readonly removed: readonly Message[];
}

/**
 * Cuts the messages from the one that contains `from` to the one that contains `to`, and puts a note in their place. A call
 * is cut together with its result.
 *
 * @throws HaftError `match_not_found`, `match_ambiguous`, or `validation_failed` where the user's last request would be
 * cut.
 */
export function snipped(
  messages: readonly Message[],
  { from, to, note }: { readonly from: string; readonly to: string; readonly note: string },
): Cut {
  const ends = [placeOf(messages, from), placeOf(messages, to)];
  let first = Math.min(...ends);
  let last = Math.max(...ends);
  if (messages[first]?.role === "results") first--;
  if (messages[last + 1]?.role === "results") last++;
  const request = messages.findLastIndex(({ role }) => role === "user");
  if (first <= request && request <= last)
    fail("validation_failed", "The span contains the user's last request.", "Choose a span before or after it.");
  const removed = messages.slice(first, last + 1);
  const marker = userMessage(`[${removed.length} messages were cut here to make room. A note about them: ${note}]`);
  return { messages: [...messages.slice(0, first), marker, ...messages.slice(last + 1)], removed };
}

function placeOf(messages: readonly Message[], words: string): number {
  const found = messages.flatMap((message, index) => (textOf(message).includes(words) ? [index] : []));
  const [place, ...others] = found;
  const short = JSON.stringify(words.length > 80 ? `${words.slice(0, 80)}…` : words);
  if (place === undefined)
    return fail("match_not_found", `No message holds ${short}.`, "Quote a message word for word.");
  return others.length === 0
    ? place
    : fail("match_ambiguous", `${found.length} messages hold ${short}.`, "Quote more of the one you mean.");
}

function textOf(message: Message): string {
  switch (message.role) {
    case "user":
      return contentsText(message.content);
    case "assistant":
      return message.parts
        .map((part) => (part.type === "tool-call" ? JSON.stringify(part.input) : part.text))
        .join("\n");
    case "results":
      return message.results.map(({ content }) => contentsText(content)).join("\n");
  }
}

/** Characters of some messages. */
export const charsOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + textOf(message).length, 0);
