import { HaftError } from "@haft/core/tool";

/** What a disk says that cannot be written to, in words. */
const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the user's share of the disk is used up",
  EIO: "the disk does not answer as it should",
  EROFS: "the file system is read-only",
  EACCES: "this user may not write there",
};
/** Those that are no matter of room. */
const FORBIDDEN: readonly string[] = ["EROFS", "EACCES"];

/** Does something with the journal's files; where the disk refuses, the error says so, with its cure. */
export async function withDiskFaults<T>(folder: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    throw inWords(
      thrown,
      "The journal",
      folder,
      "What was begun is finished by the next command that needs the journal.",
    );
  }
}

/** A disk's refusal to let `what` be written below `folder`, with its cure; anything else as it is. */
export function inWords(thrown: unknown, what: string, folder: string, then: string): unknown {
  const { code = "" } = thrown as NodeJS.ErrnoException;
  const words = HaftError.is(thrown) ? undefined : WORDS[code];
  if (words === undefined) return thrown;
  const isForbidden = FORBIDDEN.includes(code);
  const cure = isForbidden ? `Make it possible to write below ${folder}` : `Make room below ${folder}`;
  return new HaftError({
    code: isForbidden ? "permission_denied" : "no_space",
    message: `${what} could not be written: ${words} (${(thrown as Error).message}).`,
    hint: `${cure}, then try again. ${then}`,
  });
}
