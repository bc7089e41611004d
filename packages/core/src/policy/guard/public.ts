import { isWithin } from "../../tool/index.ts";
import type { Workspace } from "../decision.ts";
import type { PathFold } from "../pattern/path-fold.ts";

/** Files installed for everybody: programs, libraries, headers, documentation. Also the description of the processors. */
const FOLDERS: readonly string[] = [
  ...["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include", "share"].map((name) => `/usr/${name}`),
  ...["bin", "sbin", "lib", "include", "share"].map((name) => `/usr/local/${name}`),
  "/sys/devices/system/cpu",
];

/**
 * Files that tell programs about their machine. Nothing else of /etc, where services keep their passwords. Nothing of
 * /proc that belongs to a process: its environment and open files are private.
 */
const FILES: readonly string[] = [
  // The system's name and version.
  ...["os-release", "lsb-release", "debian_version", "alpine-release", "redhat-release", "fedora-release"],
  ...["centos-release", "system-release", "arch-release", "SuSE-release", "gentoo-release"],
  // Known names and conventions.
  ...["timezone", "localtime", "shells", "services", "protocols", "mime.types"],
].map((name) => `/etc/${name}`);

/** The kernel's counts of the machine. */
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
 * Whether a path is readable for everybody on such a machine and contains nothing personal. Paths are real: a link in
 * such a folder is judged by its target. A home folder inside or around these folders remains private.
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
