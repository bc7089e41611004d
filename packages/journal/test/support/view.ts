import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { tryView, type Variant } from "../../src/view/mount.ts";

/** Whether views of this kind can be made on this machine. Root's kind needs root. */
export function viewWorks(variant: Variant): boolean {
  const annex = mkdtempSync(`${tmpdir()}/haft-view-`);
  try {
    return tryView(annex, variant);
  } finally {
    rmSync(annex, { recursive: true, force: true });
  }
}
