import { isWithin } from "../../tool/index.ts";
import type { Workspace } from "../decision.ts";
import type { PathFold } from "../pattern/path-fold.ts";

/** What is installed for everybody: programs, libraries, headers, documentation; and what the processors are. */
const FOLDERS: readonly string[] = [
  ...["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include", "share"].map((name) => `/usr/${name}`),
  ...["bin", "sbin", "lib", "include", "share"].map((name) => `/usr/local/${name}`),
  "/sys/devices/system/cpu",
];

/**
 * Files by which programs learn what machine they are on. Nothing else of /etc, where services keep their passwords, and nothing
 * of /proc that belongs to a process: its environment and open files are somebody's.
 */
const FILES: readonly string[] = [
  // Which system it is.
  ...["os-release", "lsb-release", "debian_version", "alpine-release", "redhat-release", "fedora-release"],
  ...["centos-release", "system-release", "arch-release", "SuSE-release", "gentoo-release"],
  // The names and conventions that it knows.
  ...["timezone", "localtime", "shells", "services", "protocols", "mime.types"],
].map((name) => `/etc/${name}`);

/** The machine as its kernel counts it. */
const COUNTS: readonly string[] = [
  "cpuinfo",
  "meminfo",
  "version",
  "uptime",
  "loadavg",
  "stat",
  "filesystems",
  "swaps",
];

/**
 * Whether everybody on such a machine may read a path, and nothing of anybody's lies there. Paths are real: a link that lies in
 * such a folder is judged by where it leads. A home folder among them, or around them, is somebody's all the same.
 */
export function publicPlaces({ home, platform }: Workspace, fold: PathFold): (path: string) => boolean {
  if (platform === "win32") return () => false;
  const folders = FOLDERS.map(fold.path);
  const files = new Set([...FILES, ...COUNTS.map((name) => `/proc/${name}`)].map(fold.path));
  const own = fold.path(home);
  return (path) =>
    (files.has(path) || folders.some((folder) => isWithin(folder, path))) &&
    !isWithin(own, path) &&
    !isWithin(path, own);
}
