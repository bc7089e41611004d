import type { Files } from "@haft/core/tool";
import { CALLED_WORDS } from "../reader/script/sqlite.ts";

/** Files that SQLite keeps beside a database during a write, and finds there after an interrupted one. */
const BESIDE: readonly string[] = ["-journal", "-wal", "-shm"];

/** How a database with a write-ahead log begins: after its first words come the page size and twice a 2. */
const KEEPS_LOG: readonly string[] = ["\x02\0", "\x04\0", "\x08\0", "\x10\0", "\x20\0", "\x40\0", "\0\x01"].map(
  (size) => `SQLite format 3\0${size}\x02`,
);

type Looking = Pick<Files, "locate" | "mentions">;

/**
 * Whether opening a SQLite database for reading writes nothing. No file beside it is waiting to be merged first, and it keeps no log, which
 * would also create files. A missing database is not opened.
 */
export const isSettled = (path: string, files: Looking): Promise<boolean> =>
  isMissingOr(path, files, async (real) => {
    if ((await files.mentions?.(real, KEEPS_LOG, { shallow: true })) !== false) return false;
    const beside = await Promise.all([path, real].flatMap((one) => BESIDE.map((end) => files.locate(one + end))));
    return beside.every((one) => one.kind === "missing");
  });

/** Whether no view or index of a database calls a function that starts programs or opens other files. */
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
