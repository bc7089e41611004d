import type { FileEntry, FileStat, Location, Ports } from "../tool/index.ts";

/**
 * The machine that tools work on: a container, a remote machine, a disk in memory. Its paths are its own: they start with
 * `/` and mean nothing on the machine that Haft runs on.
 */
export interface HostPorts extends Pick<Ports, "files" | "processes">, Partial<Pick<Ports, "net" | "clock" | "jobs">> {
  /** Called once, when the session ends. */
  close?(): Promise<void>;
}

/** The few operations that `createFiles` makes a whole file system of. All paths are absolute. */
export interface FileBasics {
  /** The real location of a path, with every symbolic link resolved, also those above it. */
  locate(path: string): Promise<Location>;
  /** `undefined` when nothing is there. Does not follow a link in the last segment. */
  stat(path: string): Promise<FileStat | undefined>;
  /** The bytes of a file. */
  read(path: string): Promise<Uint8Array>;
  /** The entries of a folder. Their `path` is the name alone. */
  list(path: string): Promise<readonly FileEntry[]>;
  /** Replaces or creates a file in one step, with the folders above it: a reader sees the old bytes or the new ones. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Removes a file. */
  remove(path: string): Promise<void>;
}
