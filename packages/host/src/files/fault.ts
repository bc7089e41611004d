import { type ErrorCode, HaftError } from "@haft/core/tool";

interface Fault {
  readonly code: ErrorCode;
  readonly says: string;
  readonly hint: string;
}

/** Messages and hints for the system's error names in file operations. */
const faults: Readonly<Record<string, Fault>> = {
  ENOENT: {
    code: "file_not_found",
    says: "does not exist",
    hint: "Look for it with Glob, or list its folder with Ls.",
  },
  EISDIR: { code: "is_directory", says: "is a folder, not a file", hint: "Name a file in it; Ls lists what there is." },
  ENOTDIR: {
    code: "not_directory",
    says: "goes through something that is not a folder",
    hint: "One of the parents in this path is a file. Check the path.",
  },
  EACCES: {
    code: "permission_denied",
    says: "may not be accessed by this user",
    hint: "Change its permissions, or use another path.",
  },
  EPERM: {
    code: "permission_denied",
    says: "is protected by the system",
    hint: "Lift the protection, or use another path.",
  },
  EROFS: {
    code: "permission_denied",
    says: "lies on a read-only file system",
    hint: "Write somewhere else.",
  },
  ENOSPC: {
    code: "no_space",
    says: "cannot be written: the disk is full",
    hint: "Nothing was changed. Free some space, then try again.",
  },
  EDQUOT: {
    code: "no_space",
    says: "cannot be written: the quota is used up",
    hint: "Nothing was changed. Free some space, then try again.",
  },
  EFBIG: { code: "file_too_large", says: "would be too large for the file system", hint: "Split it." },
  EEXIST: { code: "file_exists", says: "exists already", hint: "Read it first, then decide whether to change it." },
  ELOOP: {
    code: "file_not_found",
    says: "is a symbolic link to itself",
    hint: "Name the real file, or repair the link: `ln -sfn FILE LINK`.",
  },
  EIO: {
    code: "execution_failed",
    says: "cannot be read or written: the device reports an error",
    hint: "Nothing was changed. The disk or the connection to it may be failing.",
  },
  ESTALE: {
    code: "conflict",
    says: "was replaced on the server while it was open",
    hint: "Try again.",
  },
  EBUSY: {
    code: "conflict",
    says: "is in use by the system",
    hint: "Try again after the program that uses it has ended.",
  },
  ETXTBSY: {
    code: "conflict",
    says: "is a running program",
    hint: "End it first, or write to another name.",
  },
  EMFILE: { code: "limit_reached", says: "cannot be opened: too many files are open", hint: "Do less at once." },
  ENFILE: {
    code: "limit_reached",
    says: "cannot be opened: the system has too many open files",
    hint: "Try again later.",
  },
  ENXIO: {
    code: "binary_file",
    says: "is a pipe or device that no program serves",
    hint: "Name a regular file.",
  },
  ENAMETOOLONG: { code: "invalid_input", says: "is longer than the system allows", hint: "Use a shorter path." },
};

/** The error name of the system, such as `ENOENT`. */
export function errnoOf(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Converts a system error about `path` to a HaftError. Returns other errors unchanged. */
export function toFault(thrown: unknown, path: string): unknown {
  if (HaftError.is(thrown)) return thrown;
  const name = errnoOf(thrown);
  const fault = name === undefined ? undefined : faults[name];
  if (!fault) return thrown;
  return new HaftError(
    { code: fault.code, message: `${path} ${fault.says}.`, hint: fault.hint, details: { path, errno: name } },
    { cause: thrown },
  );
}

/** Runs a file operation and converts its failure to a HaftError. */
export async function worded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toFault(thrown, path);
  }
}
