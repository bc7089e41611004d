import { fstatSync } from "node:fs";
import { UsageError } from "../exit-code.ts";

/** Maximum characters of piped input in a prompt. */
const MOST_CHARS = 10_000_000;

/** Milliseconds to wait for the first input if there is already a prompt: some callers leave a pipe open forever. */
const FIRST_MS = 2_000;

/** The whole piped input; "" from a terminal or without input. `isNeeded`: the command cannot work without it. */
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
        throw new UsageError("The piped input is too long for a prompt.", "Name a file in the prompt instead.");
    }
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    return text;
  } finally {
    clearTimeout(timer);
  }
  return text;
}

/** Whether standard input can be read: it may be closed. */
function isReadable(): boolean {
  try {
    fstatSync(0);
    return true;
  } catch {
    return false;
  }
}

/** A prompt followed by the piped input; either may be missing. */
export const promptWith = (words: string, piped: string): string =>
  [words, piped.trimEnd()].filter((part) => part.trim() !== "").join("\n\n");
