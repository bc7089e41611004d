/** Why a step failed, for people. */
export function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  const known: Readonly<Record<string, string>> = {
    ENOTEMPTY: "It holds files that the journal does not know.",
    EEXIST: "Something else is there.",
    ENOSPC: "The disk is full.",
    EIO: "The disk does not answer as it should.",
    EACCES: "This user may not change it.",
    EPERM: "This user may not change it.",
    EROFS: "The file system is read-only.",
    EXDEV: "It lies on another file system.",
  };
  return (code !== undefined && known[code]) || message;
}
