import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { seccompFilter } from "./filter.ts";

/** Filters for system calls as descriptors: bubblewrap reads one from there for each program. */
export interface FilterSupply {
  /** A descriptor to be closed after use; `undefined` on a machine for which no filter is known. */
  open(filter: { readonly mayTouch: boolean }): number | undefined;
  close(): void;
}

/** Filters in files that have lost their names: nobody else can open or change them. */
export function createFilterSupply(machine: string = process.arch): FilterSupply {
  const held = new Map<boolean, number>();
  return {
    open({ mayTouch }) {
      if (machine !== "x64" && machine !== "arm64") return undefined;
      const kept = held.get(mayTouch) ?? keep(seccompFilter(machine, { mayTouch }));
      held.set(mayTouch, kept);
      // Opened anew: a descriptor that is only handed on would share its position with the last reader's.
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
