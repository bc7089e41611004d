import { type Content, contentText, text } from "@haft/core/tool";
import type { Message, ResultPart } from "../message.ts";

/** A shortened conversation, with the number of removed results and characters. */
export interface Shortened {
  readonly messages: readonly Message[];
  /** Number of results left out. */
  readonly results: number;
  readonly chars: number;
}

/** The share of a conversation to keep, if enough can be left out. */
const SHARE_LEFT = 0.5;

/** Smaller results stay: their placeholder would be as long. */
const LEAST_CHARS = 400;

/** Estimated size of an image or document, in characters with the same context use. */
const MEDIA_CHARS = 6_000;

/**
 * Leaves out the oldest results of a conversation until half of it remains. Calls, text and loaded tools stay, and so do
 * the latest results, because the model has not used them yet. `undefined`: nothing can be left out.
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
  return `[About ${size} characters were removed here because the conversation was too long. ${again}]`;
}

function sizeOf(message: Message): number {
  if (message.role === "user") return contentSize(message.content);
  if (message.role === "results") return message.results.reduce((sum, { content }) => sum + contentSize(content), 0);
  return JSON.stringify(message.parts).length;
}

const contentSize = (content: readonly Content[]): number =>
  content.reduce((sum, one) => sum + ("data" in one ? MEDIA_CHARS : contentText(one).length), 0);
