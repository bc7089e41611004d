import { readdir, readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** A process group that a command leads: signals reach its children and theirs. */
export interface Group {
  readonly id: number;
}

/** Milliseconds between two looks at a group that is to end. */
const LOOK_MS = 20;

/** Sends a signal to every process of the group. `false` when nobody is left. */
export function signalGroup(group: Group, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group.id, signal);
    return true;
  } catch (thrown) {
    // EPERM: somebody is there who changed their user. They cannot be reached, but they are alive.
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Asks a group to end and makes it after `graceMs`. Resolves when nobody is left, or right after the kill. */
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
 * Whether a process of the group still runs. In a container nobody may collect the dead: they stay in the group and
 * can be signalled, so /proc is asked about their state where there is one.
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
