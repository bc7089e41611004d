/** Why a step failed, for people. */
export function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  const known: Readonly<Record<string, string>> = {
    ENOTEMPTY: "It is not empty.",
    EEXIST: "Something else is there now.",
    ENOTDIR: "Something else is there now.",
    ENOSPC: "The disk is full.",
    EIO: "The disk reports errors.",
    EACCES: "This user may not change it.",
    EPERM: "This user may not change it.",
    EROFS: "The file system is read-only.",
    EXDEV: "It is on another file system.",
  };
  return (code !== undefined && known[code]) || message;
}
