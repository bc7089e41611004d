import { stat } from "node:fs/promises";

/** How long a folder that answered is assumed to be responsive. */
const PROMPT_MS = 1000;
const MOST_FOLDERS = 200;

/** The time of each folder's last answer. Nothing of their content is cached. */
const answered = new Map<string, number>();

/**
 * Whether a folder answered a moment ago. A file system that hangs should do so in another thread. One that just answered may
 * be read synchronously, ten times as fast.
 */
export const isPrompt = (folder: string): boolean =>
  performance.now() - (answered.get(folder) ?? Number.NEGATIVE_INFINITY) < PROMPT_MS;

/** Records that a folder answered just now. */
export function hasAnswered(folder: string): void {
  if (answered.size > MOST_FOLDERS) answered.clear();
  answered.set(folder, performance.now());
}

/** Waits until a folder has answered, even if the answer is that it does not exist. */
export async function untilPrompt(folder: string): Promise<void> {
  if (isPrompt(folder)) return;
  await stat(folder).catch(() => undefined);
  hasAnswered(folder);
}
