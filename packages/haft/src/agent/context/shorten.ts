import { type Content, contentText, text } from "@haft/core/tool";
import type { Message, ResultPart } from "../message.ts";

/** A conversation that takes less of the context, and what it took. */
export interface Shortened {
  readonly messages: readonly Message[];
  /** Results that were left out. */
  readonly results: number;
  readonly chars: number;
}

/** What is left of a conversation, at most, where enough can be left out. */
const SHARE_LEFT = 0.5;

/** Results below this size stay: the words in their place would take as much. */
const LEAST_CHARS = 400;

/** An image or a document in characters that would take as much of the context, roughly. */
const MEDIA_CHARS = 6_000;

/**
 * The same conversation with the oldest results left out, until it takes half of what it did. Calls, words and what is
 * loaded stay, and so do the latest results: the model has not worked with them yet. `undefined`: nothing is left to leave
 * out.
 */
export function shortened(messages: readonly Message[]): Shortened | undefined {
  const latest = messages.findLastIndex(({ role }) => role === "results");
  const whole = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  let results = 0;
  let chars = 0;

  function shortenedResult(result: ResultPart): ResultPart {
    const size = contentSize(result.content);
    if (size < LEAST_CHARS || whole - chars <= whole * SHARE_LEFT) return result;
    results += 1;
    chars += size;
    return { ...result, content: [text(leftOut(result, size))] };
  }

  const shorter = messages.map((message, index) =>
    message.role === "results" && index !== latest
      ? { ...message, results: message.results.map(shortenedResult) }
      : message,
  );
  return results === 0 ? undefined : { messages: shorter, results, chars };
}

function leftOut({ spilled }: ResultPart, size: number): string {
  const again = spilled === undefined ? "Make the call again if you need them." : `All of it is in ${spilled}.`;
  return `[About ${size} characters stood here. They were left out because the conversation was too long. ${again}]`;
}

function sizeOf(message: Message): number {
  if (message.role === "user") return contentSize(message.content);
  if (message.role === "results") return message.results.reduce((sum, { content }) => sum + contentSize(content), 0);
  return JSON.stringify(message.parts).length;
}

const contentSize = (content: readonly Content[]): number =>
  content.reduce((sum, one) => sum + ("data" in one ? MEDIA_CHARS : contentText(one).length), 0);
