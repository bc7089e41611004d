import type { Files } from "@haft/core/tool";

/** What SQLite keeps beside a database while somebody writes to it, and finds there when that was cut off. */
const BESIDE: readonly string[] = ["-journal", "-wal", "-shm"];

/**
 * Whether to read a database of SQLite writes nothing that stays: it is there, so none is created, and nothing lies beside it that
 * would be put into it first. Where it keeps a log, that comes and goes with the reading.
 */
export async function isSettled(path: string, files: Pick<Files, "locate">): Promise<boolean> {
  try {
    const { path: real, kind } = await files.locate(path);
    if (kind !== "file") return false;
    const beside = await Promise.all([path, real].flatMap((one) => BESIDE.map((end) => files.locate(one + end))));
    return beside.every((one) => one.kind === "missing");
  } catch {
    return false;
  }
}
