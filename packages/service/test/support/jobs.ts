import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";

/** A folder of its own for a test. */
export async function temporary(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await realpath(await mkdtemp(`${tmpdir()}/haft-jobs-`));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A dead process that nobody has collected yet does not count. */
export async function isRunning(pid: number): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0) throw new Error(`${pid} is no process id`);
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return stat !== "" && !/^\d+ \(.*\) [ZX]/.test(stat);
}
