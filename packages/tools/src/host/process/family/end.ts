import { setTimeout as wait } from "node:timers/promises";
import { signalGroup } from "../group.ts";
import { type Family, membersOf, type ProcessRef, sendSignal } from "./members.ts";

/** Milliseconds between two looks at processes that are to end. */
const LOOK_MS = 25;
/** Killed and still there after this long: it hangs in the kernel, and does no more harm. */
const STUCK_MS = 1000;

/**
 * Asks all processes of a family to end, and makes them after `graceMs`. Resolves when they are gone, and those that were
 * `found` earlier too: once a parent has gone, some of them could not be found any more.
 */
export async function endFamily(
  family: () => Family,
  graceMs: number,
  found: readonly ProcessRef[] = [],
): Promise<void> {
  const all = [...found, ...(await membersOf(family()))];
  const known = new Map(all.map(({ id, started }) => [id, started]));
  if (await signalUntilGone(family, known, "SIGTERM", graceMs)) return;
  await signalUntilGone(family, known, "SIGKILL", STUCK_MS);
}

/** Sends a signal once to each process, also to those that come to be meanwhile. Answers whether all are gone. */
async function signalUntilGone(
  family: () => Family,
  known: Map<number, string>,
  signal: NodeJS.Signals,
  forMs: number,
): Promise<boolean> {
  const told = new Set<number>();
  const deadline = performance.now() + forMs;
  const { leader, isLed } = family();
  // The whole group at one blow, before it can multiply; and all there is where nobody can be counted.
  const hadGroup = isLed && signalGroup({ id: leader }, signal);
  for (;;) {
    const members = await membersOf(family(), known);
    if (members.length === 0 && (!hadGroup || process.platform === "linux" || !signalGroup({ id: leader }, 0)))
      return true;
    for (const { id, started } of members) {
      known.set(id, started);
      if (told.has(id)) continue;
      told.add(id);
      sendSignal(id, signal);
    }
    if (performance.now() >= deadline) return false;
    await wait(LOOK_MS);
  }
}
