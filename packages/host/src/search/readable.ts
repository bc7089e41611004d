import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { fail, type Location, type SearchResult } from "@haft/core/tool";
import { markedEncoding } from "../files/encoding.ts";
import { toFault } from "../files/fault.ts";
import { readPiece } from "../files/open.ts";

/** The engines treat a file as binary if a NUL is among its first bytes. */
export const FIRST_READ = 64 * 1024;

/** The flag of a result that misses unreadable files. */
export const partly = (isWhole: boolean): Pick<SearchResult, "unread"> => (isWhole ? {} : { unread: true });

/** Refuses a named path that is unreadable: the engines would find nothing in it, or name a program. */
export async function checkReadable(path: string, kind: Location["kind"]): Promise<void> {
  try {
    await access(path, kind === "directory" ? constants.R_OK | constants.X_OK : constants.R_OK);
  } catch (thrown) {
    throw toFault(thrown, path);
  }
}

/** Refuses a named file that is not text: reporting no matches would be untrue. */
export async function refuseBinary(path: string, descriptor: number): Promise<void> {
  const { bytesRead, buffer } = await readPiece(descriptor, Buffer.alloc(FIRST_READ), 0, FIRST_READ, 0);
  const bytes = buffer.subarray(0, bytesRead);
  if (!bytes.includes(0) || markedEncoding(bytes)) return;
  fail(
    "binary_file",
    `${path} is a binary file (it has NUL bytes), and only text is searched.`,
    "Use Bash: `grep -a`, or `strings` and then grep.",
    { path },
  );
}
