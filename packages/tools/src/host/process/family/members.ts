import { readdir, readFile } from "node:fs/promises";

/** By what the processes that one program started are known. */
export interface Family {
  /** The id of its first process, which leads its group and its session. */
  readonly leader: number;
  /** How the variable that all of them inherit begins: `NAME=value`. */
  readonly mark: string;
  /** Whether the leader's number still belongs to it: once it is free, the system may give it to a stranger. */
  readonly isLed: boolean;
}

/** A process, told apart from a later one that was given the same number. */
export interface ProcessRef {
  readonly id: number;
  /** Clock ticks between the machine's start and its own, as the kernel counts. */
  readonly started: string;
}

interface Member extends ProcessRef {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/**
 * The living processes of a family: its group, its session, all below them, and whoever carries its mark, so that helpers
 * which left the group and lost their parent are found too. One that cleared its environment, took a session of its own
 * and lost its parent is not, unless it was found before: `known`, by id when each was started. Empty where there is no /proc.
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
  // Processes of other users cannot be read, and could not be ended either.
  const environment = await readFile(`/proc/${id}/environ`, "latin1").catch(() => "");
  return environment.startsWith(mark) || environment.includes(`\0${mark}`);
}
