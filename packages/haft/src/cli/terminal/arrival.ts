import { setImmediate, setTimeout } from "node:timers/promises";

/**
 * Milliseconds in which earlier keys arrive that were pressed before a question was shown. Nobody has read it by then.
 */
const ARRIVAL_MS = 30;

/** Waits until earlier input has arrived. On a busy machine the time may end before anything was read. */
export async function arrival(): Promise<void> {
  await setTimeout(ARRIVAL_MS);
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}
