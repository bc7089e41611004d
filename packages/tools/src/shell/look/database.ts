import type { Files } from "@haft/core/tool";
import { CALLED_WORDS } from "../reader/script/sqlite.ts";

/** What SQLite keeps beside a database while somebody writes to it, and finds there when that was cut off. */
const BESIDE: readonly string[] = ["-journal", "-wal", "-shm"];

/** How a database begins that keeps a log: behind its first words stand the size of a page, and twice a 2. */
const KEEPS_LOG: readonly string[] = ["\x02\0", "\x04\0", "\x08\0", "\x10\0", "\x20\0", "\x40\0", "\0\x01"].map(
  (size) => `SQLite format 3\0${size}\x02`,
);

type Looking = Pick<Files, "locate" | "mentions">;

/**
 * Whether to open a database of SQLite for reading writes nothing: beside it lies nothing that would be put into it first, and it keeps no
 * log, for which files are made, too. Of what is not there nothing is opened.
 */
export const isSettled = (path: string, files: Looking): Promise<boolean> =>
  isMissingOr(path, files, async (real) => {
    if ((await files.mentions?.(real, KEEPS_LOG, { shallow: true })) !== false) return false;
    const beside = await Promise.all([path, real].flatMap((one) => BESIDE.map((end) => files.locate(one + end))));
    return beside.every((one) => one.kind === "missing");
  });

/** Whether no view or index of a database calls what starts programs or opens other files. */
export const isTame = (path: string, files: Looking): Promise<boolean> =>
  isMissingOr(path, files, async (real) => (await files.mentions?.(real, CALLED_WORDS, { schema: true })) === false);

async function isMissingOr(path: string, files: Looking, isGood: (real: string) => Promise<boolean>): Promise<boolean> {
  try {
    const { path: real, kind } = await files.locate(path);
    return kind === "missing" || (kind === "file" && (await isGood(real)));
  } catch {
    return false;
  }
}
