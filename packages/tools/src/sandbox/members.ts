import { readdirSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** A process that is killed and still there after this long hangs in the kernel, and never comes back to its program. */
const STUCK_MS = 5000;
/** Milliseconds between two looks at processes that are to end. */
const LOOK_MS = 20;

interface Member {
  readonly id: number;
  readonly parent: number;
  readonly isAlive: boolean;
}

/**
 * Asks all programs of a confined run to end and waits until they have, at most `graceMs`. bwrap itself is left alone:
 * it dies of the first signal, and takes everything with it before a program can put its work down.
 */
export async function endGently(mark: string, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  const asked = new Set<number>();
  do {
    const members = (await programsOf(mark)).filter(({ isAlive }) => isAlive);
    if (members.length === 0) return;
    for (const { id } of members) {
      if (asked.has(id)) continue;
      asked.add(id);
      ask(id);
    }
    await wait(LOOK_MS);
  } while (performance.now() < deadline);
}

/** The ids of all processes of this moment. */
export const processIds = (): ReadonlySet<string> => new Set(readdirSync("/proc").filter((name) => /^\d+$/.test(name)));

/**
 * Waits until nothing of a confined run is there any more. When bwrap has ended, the kernel is still about to kill what
 * was left inside. `before`: the processes of the moment before the run, which need no look.
 */
export async function untilGone(mark: string, before: ReadonlySet<string>): Promise<void> {
  const deadline = performance.now() + STUCK_MS;
  while (performance.now() < deadline) {
    const added = [...processIds()].filter((id) => !before.has(id));
    const marked = await Promise.all(added.map((id) => isMarked(Number(id), mark)));
    if (!marked.includes(true)) return;
    await wait(1);
  }
}

function ask(id: number): void {
  try {
    process.kill(id, "SIGTERM");
  } catch {
    // It has ended in the meantime.
  }
}

/** The processes below the two of bwrap: its monitor, a child of ours, and the first process inside. */
async function programsOf(mark: string): Promise<readonly Member[]> {
  const all = await everybody();
  const children = (parents: readonly number[]) => all.filter(({ parent }) => parents.includes(parent));
  const own = children([process.pid]);
  const marked = await Promise.all(own.map(async ({ id }) => ((await isMarked(id, mark)) ? [id] : [])));
  const [first] = [children(marked.flat()).map(({ id }) => id)];
  const found: Member[] = [];
  for (let layer = children(first); layer.length > 0; layer = children(layer.map(({ id }) => id))) found.push(...layer);
  return found;
}

const isMarked = async (id: number, mark: string): Promise<boolean> => {
  const line = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
  return line.split("\0").includes(mark);
};

async function everybody(): Promise<readonly Member[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "latin1").catch(() => "")));
  return stats.flatMap((stat, index) => {
    // pid (name) state ppid …; the name may hold anything, so count from its closing parenthesis.
    const [state = "Z", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (stat === "") return [];
    return [{ id: Number(ids[index]), parent: Number(parent), isAlive: state !== "Z" && state !== "X" }];
  });
}
