import { setTimeout as wait } from "node:timers/promises";
import { signalGroup } from "../group.ts";
import { type Family, membersOf, type ProcessRef, sendSignal } from "./members.ts";

/** Polling interval for ending processes, in milliseconds. */
const LOOK_MS = 25;
/** A process that exists this long after SIGKILL hangs in the kernel and does no more harm. */
const STUCK_MS = 1000;

/**
 * Asks all processes of a family to end, and kills them after `graceMs`. Resolves when they are gone, including those `found`
 * earlier: once a parent is gone, some of them can no longer be found.
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

/** Sends a signal once to each process, including new ones. Resolves to whether all are gone. */
async function signalUntilGone(
  family: () => Family,
  known: Map<number, string>,
  signal: NodeJS.Signals,
  forMs: number,
): Promise<boolean> {
  const told = new Set<number>();
  const deadline = performance.now() + forMs;
  const { leader, isLed } = family();
  // Signal the whole group at once, before it can fork. Without /proc nothing more is possible.
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
