import { HaftError } from "@haft/core/tool";

/** What a disk says that cannot be written to, in words. */
const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the user's share of the disk is used up",
  EIO: "the disk does not answer as it should",
  EROFS: "the file system is read-only",
};

/** Does something with the journal's files; where the disk refuses, the error says so, with its cure. */
export async function withDiskFaults<T>(folder: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    const words = HaftError.is(thrown) ? undefined : WORDS[code];
    if (words === undefined) throw thrown;
    throw new HaftError({
      code: code === "EROFS" ? "permission_denied" : "no_space",
      message: `The journal could not be written: ${words} (${(thrown as Error).message}).`,
      hint: `Make room below ${folder}, then try again. What was begun is finished by the next command that needs the journal.`,
    });
  }
}
