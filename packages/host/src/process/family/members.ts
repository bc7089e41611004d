import { readdir, readFile } from "node:fs/promises";

/** Identifies the processes that one program started. */
export interface Family {
  /** The id of its first process, which leads its group and its session. */
  readonly leader: number;
  /** The start of the environment variable that all of them inherit: `NAME=value`. */
  readonly mark: string;
  /** Whether the leader's process id is still its own: once it is free, the system may reuse it. */
  readonly isLed: boolean;
}

/** A process, distinguished from a later one with the same id. */
export interface ProcessRef {
  readonly id: number;
  /** Start time in clock ticks since boot. */
  readonly started: string;
}

interface Member extends ProcessRef {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/**
 * The living processes of a family: its group, its session, all descendants, and all processes with its mark. So it also finds
 * orphaned helpers that left the group. It misses an orphan that cleared its environment and has its own session, unless that
 * was found before. `known`: start times by process id. Empty without /proc.
 */
export async function membersOf(
  { leader, mark, isLed }: Family,
  known: ReadonlyMap<number, string> = new Map(),
): Promise<readonly ProcessRef[]> {
  const names = await readdir("/proc").catch(() => []);
  const stats = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => memberOf(Number(name))));
  const living = stats.filter((stat) => stat !== undefined && stat.id !== process.pid) as Member[];
  const marked = await Promise.all(living.map(({ id }) => hasMark(id, mark)));
  const isKin = ({ id, started, group, session }: Member) =>
    (isLed && (group === leader || session === leader)) || known.get(id) === started;
  const found = new Set(living.filter((member, index) => marked[index] || isKin(member)).map(({ id }) => id));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { id, parent } of living) if (found.has(parent)) found.add(id);
  }
  return living.filter(({ id }) => found.has(id));
}

export function sendSignal(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // It has ended in the meantime.
  }
}

async function memberOf(id: number): Promise<Member | undefined> {
  const stat = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "");
  // pid (name) state ppid pgrp session … starttime …; the name may hold anything, so count from its closing parenthesis.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  const started = fields[19];
  if (started === undefined || state === "Z" || state === "X") return undefined;
  return { id, started, parent: Number(parent), group: Number(group), session: Number(session) };
}

async function hasMark(id: number, mark: string): Promise<boolean> {
  // Processes of other users cannot be read, and could not be signalled either.
  const environment = await readFile(`/proc/${id}/environ`, "latin1").catch(() => "");
  return environment.startsWith(mark) || environment.includes(`\0${mark}`);
}
