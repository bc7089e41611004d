import { readFile } from "node:fs/promises";

/** The ports on which programs in a process's network namespace listen, and that a client there can reach. */
export async function listeningPorts(process: number): Promise<readonly number[]> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/${process}/net/${name}`, "latin1").catch(() => "")),
  );
  return [...new Set(tables.flatMap(listeningIn))].sort((a, b) => a - b);
}

/** The state of a listening socket in the kernel's table. */
const LISTENS = "0A";

/** Listening ports in a kernel table (`/proc/net/tcp`). */
export const listeningIn = (table: string): readonly number[] =>
  table
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local = "", , state] = line.trim().split(/\s+/);
      const port = Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16);
      return state === LISTENS && port > 0 && port <= 0xffff ? [port] : [];
    });

/** The first child of a process, if any. For bubblewrap it is the first process inside. */
export async function childOf(process: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${process}/task/${process}/children`, "latin1").catch(() => "");
  const first = Number.parseInt(children, 10);
  return Number.isNaN(first) ? undefined : first;
}
