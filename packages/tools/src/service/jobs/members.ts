import { readdir, readFile } from "node:fs/promises";

/** By what the processes of a job are known. */
export interface Family {
  /** The id of its first process, which leads its group and its session. */
  readonly leader: number;
  /** How the variable that all of them inherit begins: `NAME=value`. */
  readonly mark: string;
  /** Whether the leader's number still belongs to it: once it is free, the system may give it to a stranger. */
  readonly isLed: boolean;
}

interface Member {
  readonly id: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/**
 * The living processes of a job: its group, its session, all below them, and whoever carries its mark, so that helpers
 * which left the group and lost their parent are found too. One that cleared its environment, took a session of its own
 * and lost its parent is not. Empty where there is no /proc.
 */
export async function membersOf({ leader, mark, isLed }: Family): Promise<readonly number[]> {
  const names = await readdir("/proc").catch(() => []);
  const stats = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => memberOf(Number(name))));
  const living = stats.filter((stat) => stat !== undefined && stat.id !== process.pid) as Member[];
  const marked = await Promise.all(living.map(({ id }) => hasMark(id, mark)));
  const isKin = ({ group, session }: Member) => isLed && (group === leader || session === leader);
  const found = new Set(living.filter((member, index) => marked[index] || isKin(member)).map(({ id }) => id));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { id, parent } of living) if (found.has(parent)) found.add(id);
  }
  return [...found];
}

async function memberOf(id: number): Promise<Member | undefined> {
  const stat = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "");
  // pid (name) state ppid pgrp session …; the name may hold anything, so count from its closing parenthesis.
  const [state, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (session === undefined || state === "Z" || state === "X") return undefined;
  return { id, parent: Number(parent), group: Number(group), session: Number(session) };
}

async function hasMark(id: number, mark: string): Promise<boolean> {
  // Processes of other users cannot be read, and could not be ended either.
  const environment = await readFile(`/proc/${id}/environ`, "latin1").catch(() => "");
  return environment.startsWith(mark) || environment.includes(`\0${mark}`);
}
