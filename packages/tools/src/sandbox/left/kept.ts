import { lstatSync, readdirSync } from "node:fs";
import { isWithin } from "@haft/core/tool";
import { type Fence, join, STANDS_FOR_TMP } from "../fence/index.ts";

/** The folder that stands for those of temporary files, and what of it was told. */
export interface Kept {
  /** Notes what a sandbox puts there by itself: places to mount something on. */
  expect(fence: Fence): void;
  /** Tells, once each, what commands have left there, as names of the folder. `named`: paths that a command was to write. */
  fresh(named: readonly string[]): readonly string[];
}

/**
 * Watches the folder that stands for /tmp and /var/tmp. What lies there is found by nobody who looks at the path that a
 * command has written to. Told once each: most of it is of no use to anybody, but no rule knows which.
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
      // What lies in a folder that is told is told with it.
      return names.filter((name) => !names.some((outer) => outer !== name && isWithin(outer, name)));
    },
  };
}

/** A path as the folder names it, where that stands for what the path lies in. */
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
