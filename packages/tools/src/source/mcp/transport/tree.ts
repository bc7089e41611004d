import { readdir, readFile } from "node:fs/promises";

/** A process, told apart from a later one that was given the same number. */
export interface ProcessRef {
  readonly id: number;
  /** Clock ticks between the machine's start and its own, as the kernel counts. */
  readonly started: string;
}

interface Stat extends ProcessRef {
  readonly parent: number;
}

/**
 * The processes below one, by the parent ids that the kernel keeps. Empty where there is no /proc. A process whose
 * parent has ended belongs to init and is not found; its process group still finds it.
 */
export async function descendantsOf(root: number): Promise<readonly ProcessRef[]> {
  const names = await readdir("/proc").catch(() => []);
  const stats = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .map(statOf),
  );
  const children = Map.groupBy(
    stats.filter((stat) => stat !== undefined),
    ({ parent }) => parent,
  );
  const found: ProcessRef[] = [];
  for (let next = children.get(root) ?? []; next.length > 0; next = next.flatMap(({ id }) => children.get(id) ?? []))
    found.push(...next);
  return found;
}

/** Kills a process if it is still the one that was meant. */
export async function killProcess({ id, started }: ProcessRef): Promise<void> {
  if ((await statOf(id))?.started !== started) return;
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}

async function statOf(id: number): Promise<Stat | undefined> {
  const stat = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "");
  // pid (name) state ppid … starttime …; the name may hold anything, so count from its closing parenthesis.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [parent, started] = [fields[1], fields[19]];
  return parent === undefined || started === undefined ? undefined : { id, parent: Number(parent), started };
}
