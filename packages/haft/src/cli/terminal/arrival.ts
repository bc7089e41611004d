import { setImmediate, setTimeout } from "node:timers/promises";

/** Milliseconds in which keys arrive that were pressed before a question stood there. Nobody has read it by then. */
const ARRIVAL_MS = 30;

/** Waits until what was typed so far has come in. On a busy machine the time may be over before anything was read. */
export async function arrival(): Promise<void> {
  await setTimeout(ARRIVAL_MS);
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}
