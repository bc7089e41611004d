import { readdir, readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** A process group that a command leads: signals reach its children and their children. */
export interface Group {
  readonly id: number;
}

/** Milliseconds between SIGTERM and SIGKILL, when a person cancels. */
export const GRACE_CANCEL_MS = 500;

/** Polling interval for an ending group, in milliseconds. */
const LOOK_MS = 20;

/** Sends a signal to every process of the group. `false` if the group is empty. */
export function signalGroup(group: Group, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group.id, signal);
    return true;
  } catch (thrown) {
    // EPERM: a process that changed its user. It cannot be signalled, but is alive.
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Asks a group to end and kills it after `graceMs`. Resolves when the group is empty, or right after the kill. */
export async function endGroup(group: Group, graceMs: number): Promise<void> {
  signalGroup(group, "SIGTERM");
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    await wait(LOOK_MS);
    if (!(await isAlive(group))) return;
  }
  signalGroup(group, "SIGKILL");
}

/**
 * Whether a process of the group still runs. In a container possibly nobody reaps zombies: they stay in the group and
 * can be signalled, so this checks their state in /proc if it exists.
 */
async function isAlive(group: Group): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  const names = await readdir("/proc").catch(() => []);
  const ids = names.filter((name) => /^\d+$/.test(name));
  if (ids.length === 0) return true;
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "latin1").catch(() => "")));
  return stats.some((stat) => {
    // pid (name) state ppid pgrp …; the name may hold anything, so count from its closing parenthesis.
    const [state = "Z", , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(pgrp) === group.id && state !== "Z" && state !== "X";
  });
}
