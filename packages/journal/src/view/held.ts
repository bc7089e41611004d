import { existsSync } from "node:fs";
import type { Manifest } from "@haft/core/executor";
import { fail } from "@haft/core/tool";
import { diskFault } from "../fault.ts";
import { curedBy } from "../hints.ts";
import { bytesBelow } from "../image/tree.ts";
import type { Ledger } from "../ledger.ts";
import { digestOf, manifestOf, previewOfView } from "../manifest/manifest.ts";
import type { Change, Entry, Held } from "../store/record.ts";
import type { Undone } from "../undo/perform.ts";
import type { Preview } from "../undo/preview.ts";
import { commitView, type ReadOptions, readView } from "./commit.ts";
import { discardView } from "./discard.ts";
import type { View } from "./mount.ts";
import { upperIn } from "./supply.ts";

/** Held changes, as they would be applied now. */
export interface HeldContent {
  readonly held: Held;
  readonly changes: readonly Change[];
  readonly previews: readonly Preview[];
  /** Paths that others have changed since. */
  readonly conflicts: readonly string[];
  /** The same, for a decision about them. */
  readonly manifest: Manifest;
}

/** The changes of a held view. Changes nothing. `additional`: folders outside the workspace into which links may point. */
export async function showHeld(ledger: Ledger, held: Held, additional: readonly string[] = []): Promise<HeldContent> {
  const { view, read } = openHeld(ledger, held);
  const upper = upperIn(view.folder, view.root);
  const { changes, conflicts } = read;
  const manifest = manifestOf(held.id, changes, { root: ledger.root, additional, upper });
  return { held, changes, previews: await previewOfView(changes, upper), conflicts, manifest };
}

/** Discards held changes. */
export function discardHeld(ledger: Ledger, held: Held): void {
  ledger.settle(held.id);
  if (existsSync(held.view)) discardView(held.view);
}

/**
 * Applies held changes. With `force`, also where others have changed the same paths. The content must still match
 * what was seen when it was held, and `digest` if given; other content is refused.
 */
export async function applyHeld(
  ledger: Ledger,
  held: Held,
  { force = false, digest }: ReadOptions & { readonly digest?: string } = {},
): Promise<Undone> {
  const { read } = openHeld(ledger, held, force);
  const now = digestOf(read.changes);
  const isOther = held.digest !== undefined && read.conflicts.length === 0 && now !== held.digest;
  if (isOther || (digest !== undefined && now !== digest))
    fail(
      "conflict",
      `The held changes ${held.id} have changed since they were shown. Nothing was applied.`,
      "Look at them again, or discard them.",
      curedBy("review_held", { held: held.id }),
    );
  const { session, tool, turn } = held;
  const entries = () => ledger.history().entries;
  const earlier = entries().length;
  const committed = await commitView(ledger, { id: held.call, session, tool, turn }, read, { heldAs: held.id }).catch(
    (thrown) => {
      const own = entries()
        .slice(earlier)
        .find(({ view }) => view === held.view);
      throw diskFault(thrown, ledger, `${progressOf(own, read.changes.length)} `);
    },
  );
  const why = "others changed it while the command ran";
  return {
    kind: "redo",
    calls: [{ id: held.call, tool, session }],
    changed: [...committed.applied, ...committed.made],
    kept: committed.held.map((path) => ({ path, call: held.call, why })),
    losses: [...committed.failed, ...committed.losses],
  };
}

/** How far a commit came that ended with an error. */
function progressOf(entry: Entry | undefined, wanted: number): string {
  if (entry === undefined) return "Nothing was applied.";
  if (entry.state !== "done") return "The changes are not completely applied.";
  return entry.changes.length === wanted ? "The changes were applied." : "A part of the changes was applied.";
}

function openHeld(ledger: Ledger, held: Held, force = false) {
  if (!existsSync(held.view)) {
    ledger.settle(held.id);
    fail("file_not_found", "The held changes are gone.", "If they were not applied already, run the command again.");
  }
  const view: View = { folder: held.view, root: held.root, variant: held.variant };
  const only = held.paths.length > 0 ? { only: held.paths } : {};
  return { view, read: readView(ledger, view, { ...only, force }) };
}

/** Unreadable folders count as empty. */
function sizeOf({ view }: Held): number {
  try {
    return bytesBelow(view);
  } catch {
    return 0;
  }
}

/** Days after which a held view is considered abandoned. */
const HELD_DAYS = 14;
/** Most of the journal's limit that all held views may take together, as a share. */
const HELD_SHARE = 1 / 4;

/** Discards held views that are too old, and the oldest ones if all are too big together. Never discards the latest. */
export function tidyHeld(ledger: Ledger, latest: string): void {
  const oldest = Date.now() - HELD_DAYS * 24 * 3600_000;
  let room = (ledger.limit ?? Number.POSITIVE_INFINITY) * HELD_SHARE;
  for (const held of [...ledger.history().held].reverse()) {
    room -= sizeOf(held);
    const isTooMuch = room < 0 || Date.parse(held.at) < oldest;
    if (isTooMuch && held.id !== latest) discardHeld(ledger, held);
  }
}
