import { readdir, readFile } from "node:fs/promises";
import { endHeld } from "@haft/host/process";

/** Ends the programs of the confined run that has this word among its arguments, see `endHeld`. */
export async function endMarked(mark: string, graceMs: number): Promise<void> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "latin1").catch(() => "")));
  const own = ids.filter((_, index) => parentIn(stats[index] ?? "") === process.pid).map(Number);
  for (const id of own) if (await isMarked(id, mark)) return endHeld(id, graceMs);
}

/** pid (name) state ppid …; the name may hold anything, so count from its closing parenthesis. */
const parentIn = (stat: string): number => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);

const isMarked = async (id: number, mark: string): Promise<boolean> => {
  const line = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
  return line.split("\0").includes(mark);
};
