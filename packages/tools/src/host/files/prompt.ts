import { stat } from "node:fs/promises";

/** How long a folder that has answered is taken to answer again. */
const PROMPT_MS = 1000;
const MOST_FOLDERS = 200;

/** When folders last answered. Of what they hold nothing is remembered. */
const answered = new Map<string, number>();

/**
 * Whether a folder has answered a moment ago. A file system that hangs should do so in another thread; one that has just answered may be
 * asked at once, ten times as fast.
 */
export const isPrompt = (folder: string): boolean =>
  performance.now() - (answered.get(folder) ?? Number.NEGATIVE_INFINITY) < PROMPT_MS;

/** Notes that a folder answered just now. */
export function hasAnswered(folder: string): void {
  if (answered.size > MOST_FOLDERS) answered.clear();
  answered.set(folder, performance.now());
}

/** Waits until a folder has answered, be it that there is none. */
export async function untilPrompt(folder: string): Promise<void> {
  if (isPrompt(folder)) return;
  await stat(folder).catch(() => undefined);
  hasAnswered(folder);
}
