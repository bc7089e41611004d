import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { isWithin } from "@haft/core/tool";

/** Folders of /proc through which a kernel is set up: a process that is root outside may write them. */
const PROC_FOLDERS: readonly string[] = ["sys", "irq", "bus", "fs", "acpi", "scsi", "driver"];
/** Files of /proc that tell about the kernel or about others' keys. */
const PROC_SECRETS: readonly string[] = ["kcore", "keys", "key-users", "kallsyms", "timer_list", "kmsg", "sched_debug"];

/** What of a fresh /proc is read-only, and what is hidden. Only what this kernel has. */
export function kernelPlaces(): { readonly readOnly: readonly string[]; readonly hidden: readonly string[] } {
  const path = (name: string) => `/proc/${name}`;
  const names = readdirSync("/proc").filter((name) => !/^\d+$/.test(name));
  const isRoot = process.getuid?.() === 0;
  const isSwitch = (name: string): boolean => {
    if (!isRoot) return false;
    const found = statSync(path(name), { throwIfNoEntry: false });
    return found?.isFile() === true && (found.mode & 0o222) !== 0;
  };
  const fixed = [...PROC_FOLDERS, ...PROC_SECRETS];
  return {
    readOnly: [...PROC_FOLDERS.map(path), "/proc/sysrq-trigger"].filter((place) => existsSync(place)),
    hidden: names
      .filter(
        (name) => PROC_SECRETS.includes(name) || (!fixed.includes(name) && name !== "sysrq-trigger" && isSwitch(name)),
      )
      .map(path),
  };
}

/**
 * Sockets of the machine that have a name in the file system, outside `open` folders. A read-only file system does not
 * keep a program from connecting to them, so each has to be hidden.
 */
export async function namedSockets(open: readonly string[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const line of readTable().split("\n").slice(1)) {
    const at = line.indexOf(" /");
    if (at > 0) names.add(line.slice(at + 1));
  }
  const real = await Promise.all([...names].map(realSocket));
  return real.filter((path): path is string => path !== undefined && !open.some((folder) => isWithin(folder, path)));
}

/** The table of this network namespace; empty where the kernel has none. */
function readTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    return "";
  }
}

async function realSocket(name: string): Promise<string | undefined> {
  try {
    const path = await realpath(name);
    return (await lstat(path)).isSocket() ? path : undefined;
  } catch {
    return undefined;
  }
}
