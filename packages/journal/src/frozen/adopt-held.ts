import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { extractedIn, writeExtracted } from "../base/extract.ts";
import { type Ledger, openLedger } from "../ledger.ts";
import { newId } from "../store/record.ts";
import { viewsIn } from "../view/mount.ts";
import type { Frozen } from "./freeze.ts";

/** The folder of the journal of a copy. */
export const journalOf = ({ folder }: Pick<Frozen, "folder">): string => join(folder, "journal");

/**
 * Takes over changes that are held in a copy: their commands ran out of time, or wait for a yes. Returns the names
 * under which the workspace's journal holds them.
 */
export function adoptHeld(ledger: Ledger, frozen: Frozen): readonly string[] {
  const { annex, root } = ledger;
  if (annex === undefined || !existsSync(join(journalOf(frozen), "journal.jsonl"))) return [];
  const copy = openLedger({ folder: journalOf(frozen), root: frozen.root });
  const inRoot = (path: string): string => root + path.slice(frozen.root.length);
  try {
    return copy.history().held.flatMap(({ t: _, id: __, at: ___, digest: ____, ...held }) => {
      if (!existsSync(held.view)) return [];
      const view = join(viewsIn(annex), newId());
      renameSync(held.view, view);
      const facts = extractedIn(view);
      if (facts)
        writeExtracted(view, {
          since: facts.since,
          removed: facts.removed.map(inRoot),
          known: new Set([...facts.known].map(inRoot)),
          inPlace: new Set(),
        });
      return [ledger.hold({ ...held, view, root, paths: held.paths.map(inRoot) })];
    });
  } finally {
    copy.close();
  }
}
