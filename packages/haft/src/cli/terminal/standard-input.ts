import { fstatSync } from "node:fs";
import { UsageError } from "../exit-code.ts";

/** Most characters that are taken as a part of a prompt. */
const MOST_CHARS = 10_000_000;

/** Milliseconds in which something has to come where a prompt is there already: some callers leave a pipe open for ever. */
const FIRST_MS = 2_000;

/** What is piped in, whole; "" from a terminal, and where there is nothing. `isNeeded`: without it there is nothing to do. */
export async function pipedInput(isNeeded: boolean): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY || !isReadable()) return "";
  stdin.setEncoding("utf8");
  const timer = isNeeded ? undefined : setTimeout(() => stdin.destroy(), FIRST_MS);
  let text = "";
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      text += chunk;
      if (text.length > MOST_CHARS)
        throw new UsageError("More was piped in than a prompt can hold.", "Name a file in the prompt instead.");
    }
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    return text;
  } finally {
    clearTimeout(timer);
  }
  return text;
}

/** Standard input may be closed altogether. */
function isReadable(): boolean {
  try {
    fstatSync(0);
    return true;
  } catch {
    return false;
  }
}

/** A prompt with what was piped in behind it; either may be missing. */
export const promptWith = (words: string, piped: string): string =>
  [words, piped.trimEnd()].filter((part) => part.trim() !== "").join("\n\n");
