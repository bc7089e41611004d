import { lstatSync, readdirSync } from "node:fs";
import { isWithin } from "@haft/core/tool";
import { type Fence, join, STANDS_FOR_TMP } from "../fence/index.ts";

/** The session's folder for temporary files, and the names in it that were already reported. */
export interface Kept {
  /** Records the mount points that a sandbox creates there. */
  expect(fence: Fence): void;
  /** Names in the folder that commands left there, each reported once. `named`: paths that a command was to write. */
  fresh(named: readonly string[]): readonly string[];
}

/**
 * Watches the folder mounted as /tmp and /var/tmp. Outside the sandbox, its files are not at the path that a command wrote
 * to. Each is reported once: most are useless, but no rule knows which.
 */
export function createKept(folder: string): Kept {
  const told = new Set(namesIn(folder));
  return {
    expect({ hidden, emptied, aliases, sealed, readOnly, anchored, writable }) {
      const places = [...hidden, ...aliases].map(({ path }) => path);
      for (const path of [...places, ...emptied, ...sealed, ...readOnly, ...anchored, ...writable]) {
        const name = nameIn(path)?.split("/")[0];
        if (name !== undefined) told.add(name);
      }
    },
    fresh(named) {
      const deep = named.flatMap((path) => nameIn(path) ?? []).filter((name) => exists(join(folder, name)));
      const names = [...new Set([...namesIn(folder), ...deep])].filter((name) => !told.has(name));
      for (const name of names) told.add(name);
      // A reported folder covers its content.
      return names.filter((name) => !names.some((outer) => outer !== name && isWithin(outer, name)));
    },
  };
}

/** The name of a /tmp or /var/tmp path inside the folder. */
function nameIn(path: string): string | undefined {
  const outer = STANDS_FOR_TMP.find((place) => isWithin(place, path) && place !== path);
  return outer === undefined ? undefined : path.slice(outer.length + 1);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
