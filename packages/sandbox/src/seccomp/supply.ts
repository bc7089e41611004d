import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { type FilterOptions, seccompFilter } from "./filter.ts";

/** Supplies system call filters as descriptors: bubblewrap reads one for each program. */
export interface FilterSupply {
  /** Whether Haft knows a filter for this machine. */
  readonly isKnown: boolean;
  /** A descriptor to close after use; `undefined` on a machine without a known filter. */
  open(filter: Required<FilterOptions>): number | undefined;
  close(): void;
}

/** Filters in unlinked files: nobody else can open or change them. */
export function createFilterSupply(machine: string = process.arch): FilterSupply {
  const held = new Map<string, number>();
  const isKnown = machine === "x64" || machine === "arm64";
  return {
    isKnown,
    open(filter) {
      if (!isKnown) return undefined;
      const name = `${filter.mayTouch} ${filter.mayConnect}`;
      const kept = held.get(name) ?? keep(seccompFilter(machine, filter));
      held.set(name, kept);
      // Reopened: a shared descriptor would keep the position of the last reader.
      return openSync(`/proc/self/fd/${kept}`, "r");
    },
    close() {
      for (const fd of held.values()) closeSync(fd);
      held.clear();
    },
  };
}

function keep(bytes: Uint8Array): number {
  const folder = mkdtempSync(`${tmpdir()}/haft-filter-`);
  try {
    writeFileSync(`${folder}/filter`, bytes, { mode: 0o600 });
    return openSync(`${folder}/filter`, "r");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
