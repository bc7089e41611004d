import { readFileSync } from "node:fs";

/** The process id and start time, so that a later process with the same id is not mistaken for it. */
export const ownMark = (): string => `${process.pid}-${startOf(process.pid) ?? 0}`;

/** The process id of a mark, whatever follows it. */
export const processOf = (mark: string): number => Number(mark.split("-")[0]);

/** Whether the process of a mark still runs. */
export function isAlive(mark: string): boolean {
  const [pid, start] = mark.split("-").map(Number);
  if (!pid) return false;
  const now = startOf(pid);
  if (now !== undefined) return now === start;
  try {
    process.kill(pid, 0);
    return process.platform !== "linux";
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM" && process.platform !== "linux";
  }
}

/** Start time in clock ticks since boot, from /proc; `undefined` without /proc or if the process is gone. */
function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}
