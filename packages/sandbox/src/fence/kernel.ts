import { accessSync, constants, lstatSync, readFileSync, realpathSync } from "node:fs";
import { isWithin } from "@haft/core/tool";

/** Files of /proc that reveal kernel internals or others' keys. The rest of /proc is read-only. */
const PROC_SECRETS: readonly string[] = ["kcore", "keys", "key-users", "kallsyms", "timer_list", "kmsg", "sched_debug"];

/** Files to hide in a fresh /proc: only those that this kernel has and that the caller may open. */
export const kernelSecrets = (): readonly string[] => PROC_SECRETS.map((name) => `/proc/${name}`).filter(isReadable);

/** Whether the caller may open it. If not, a confined program may not either. */
export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sockets of the machine that have a name in the file system, outside `open` folders. Each must be hidden: a read-only file
 * system does not keep a program from connecting to them.
 */
export function namedSockets(open: readonly string[]): readonly string[] {
  const names = new Set<string>();
  for (const line of readTable().split("\n").slice(1)) {
    const at = line.indexOf(" /");
    if (at > 0) names.add(line.slice(at + 1));
  }
  const real = [...names].flatMap((name) => realSocket(name) ?? []);
  return real.filter((path) => !open.some((folder) => isWithin(folder, path)));
}

/** The socket table of this network namespace; empty if the kernel has none. */
function readTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    return "";
  }
}

function realSocket(name: string): string | undefined {
  try {
    const path = realpathSync.native(name);
    return lstatSync(path).isSocket() ? path : undefined;
  } catch {
    return undefined;
  }
}
