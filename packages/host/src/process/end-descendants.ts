import { readdir, readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** Polling interval for ending processes, in milliseconds. */
const LOOK_MS = 20;

interface Member {
  readonly id: number;
  readonly parent: number;
  readonly isAlive: boolean;
}

/** A descendant of a leader, with its ids from the outermost process namespace to its own. */
interface Held extends Member {
  readonly numbers: readonly number[];
}

/**
 * Ends the programs in a process namespace. It asks the programs first, not their holder: that would end them before they
 * can save their work. After `graceMs` it kills the first process of the namespace, and the kernel then ends all others,
 * wherever they went. Only then does the leader end, so its end means that no process is left.
 */
export async function endHeld(leader: number, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  const asked = new Set<number>();
  do {
    const programs = programsOf(await heldBy(leader)).filter(({ isAlive }) => isAlive);
    if (programs.length === 0 && asked.size > 0) return;
    if (programs.length === 0) break;
    for (const { id } of programs) {
      if (!asked.has(id)) signal(id, "SIGTERM");
      asked.add(id);
    }
    await wait(LOOK_MS);
  } while (performance.now() < deadline);
  const held = await heldBy(leader);
  const firsts = held.filter(isFirst).sort((a, b) => a.numbers.length - b.numbers.length);
  // Without a namespace, kill each process.
  for (const { id } of firsts[0] ? [firsts[0]] : held) signal(id, "SIGKILL");
}

/** Programs are the processes in the innermost namespaces, except the first one there, which belongs to the holder. */
function programsOf(held: readonly Held[]): readonly Held[] {
  const deepest = Math.max(...held.map(({ numbers }) => numbers.length));
  const inside = held.filter(({ numbers }) => numbers.length === deepest);
  return deepest > 1 ? inside.filter((member) => !isFirst(member)) : inside;
}

const isFirst = ({ numbers }: Held): boolean => numbers.length > 1 && numbers.at(-1) === 1;

function signal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch {
    // It has ended in the meantime.
  }
}

/** All descendants of the leader, parents before their children. */
async function heldBy(leader: number): Promise<readonly Held[]> {
  const all = await everybody();
  const found: Member[] = [];
  let layer = all.filter(({ parent }) => parent === leader);
  while (layer.length > 0) {
    found.push(...layer);
    const ids = new Set(layer.map(({ id }) => id));
    layer = all.filter(({ parent }) => ids.has(parent));
  }
  return Promise.all(found.map(async (member) => ({ ...member, numbers: await numbersOf(member.id) })));
}

async function numbersOf(id: number): Promise<readonly number[]> {
  const status = await readFile(`/proc/${id}/status`, "latin1").catch(() => "");
  const line = /^NSpid:\s*(.*)$/m.exec(status)?.[1] ?? `${id}`;
  return line.split(/\s+/).map(Number);
}

async function everybody(): Promise<readonly Member[]> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "latin1").catch(() => "")));
  return stats.flatMap((stat, index) => {
    // pid (name) state ppid …; the name may hold anything, so count from its closing parenthesis.
    const [state = "Z", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (stat === "") return [];
    return [{ id: Number(ids[index]), parent: Number(parent), isAlive: state !== "Z" && state !== "X" }];
  });
}
