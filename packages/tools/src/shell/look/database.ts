import type { Files } from "@haft/core/tool";
import { CALLED_WORDS } from "../reader/script/sqlite.ts";

/** What SQLite keeps beside a database while somebody writes to it, and finds there when that was cut off. */
const BESIDE: readonly string[] = ["-journal", "-wal", "-shm"];

/** How a database begins that keeps a log: behind its first words stand the size of a page, and twice a 2. */
const KEEPS_LOG: readonly string[] = ["\x02\0", "\x04\0", "\x08\0", "\x10\0", "\x20\0", "\x40\0", "\0\x01"].map(
  (size) => `SQLite format 3\0${size}\x02`,
);

/**
 * Whether to read a database of SQLite does no more than that: it is there, so none is created, and nothing lies beside it that would
 * be put into it first. One that keeps a log makes files for that, which a confined reader may not. No view or index of it calls what
 * starts programs or opens other files.
 */
export async function isSettled(path: string, files: Pick<Files, "locate" | "mentions">): Promise<boolean> {
  try {
    const { path: real, kind } = await files.locate(path);
    if (kind !== "file") return false;
    if ((await files.mentions?.(real, KEEPS_LOG, { shallow: true })) !== false) return false;
    if ((await files.mentions?.(real, CALLED_WORDS, { schema: true })) !== false) return false;
    const beside = await Promise.all([path, real].flatMap((one) => BESIDE.map((end) => files.locate(one + end))));
    return beside.every((one) => one.kind === "missing");
  } catch {
    return false;
  }
}
