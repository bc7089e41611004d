import { isWithin } from "@haft/core/tool";

/** Shared memory that many programs work in, as it is fast. A sandbox has its own, but paths granted by name are the machine's. */
export const MEMORY = "/dev/shm";

/** Folders that belong to the system. */
const SYSTEM: ReadonlySet<string> = new Set(
  ["", "bin", "boot", "dev", "etc", "home", "lib", "lib64", "proc", "run", "sbin", "sys", "tmp", "usr", "var"].map(
    (name) => `/${name}`,
  ),
);

/** Whether a folder is the system's: no fence can tell work in it from the machine. */
export const isSystem = (root: string): boolean =>
  SYSTEM.has(root) ||
  root === MEMORY ||
  (["/proc", "/sys", "/dev"].some((folder) => isWithin(folder, root)) && !isWithin(MEMORY, root));

/**
 * Whether paths that a grant closes below a folder are found and hidden from programs that only read. That is so in the
 * workspace. Elsewhere, and in system folders, nothing searches for them.
 */
export const surveysFor = (
  folder: string,
  { root, additional }: { readonly root: string; readonly additional: readonly string[] },
): boolean => [root, ...additional].some((outer) => !isSystem(outer) && isWithin(outer, folder));
