import { existsSync } from "node:fs";
import type { JournalCall, Review } from "@haft/core/executor";
import type { Bound, RunOutcome } from "@haft/core/tool";
import { isWithin } from "@haft/core/tool";
import type { Ledger } from "../ledger.ts";
import { holdsGuardedName, type Inspection, inspect, isClosedName, isWithheldName } from "../manifest/inspect.ts";
import { changesText, manifestOf, previewOfView } from "../manifest/manifest.ts";
import { notesOf, unappliedOf, withNotes } from "../notes.ts";
import { newId } from "../store/record.ts";
import { commitView, holdView, type ReadView, readView } from "./commit.ts";
import { discardView } from "./discard.ts";
import { tidyHeld } from "./held.ts";
import { leftMarkOf, type View } from "./mount.ts";
import { upperIn } from "./supply.ts";

export interface FinishedRun {
  readonly ledger: Ledger;
  readonly call: JournalCall;
  readonly view: View;
  readonly additional: readonly string[];
  readonly bound?: Bound;
  /** A sandbox protected files from changes. Changes that it could not see in the view are withheld here. */
  readonly isFenced: boolean;
}

/** Reviews, applies or holds the changes of a view after its command has ended. */
export async function finishView(finished: FinishedRun, outcome: RunOutcome, review?: Review): Promise<RunOutcome> {
  const { ledger, call, view, bound, additional } = finished;
  const wasLeft = existsSync(leftMarkOf(view));
  const read = readView(ledger, view);
  const upper = upperIn(view.folder, view.root);
  const at: Inspection = { root: ledger.root, additional, upper, ...(bound ? { holes: bound.holes } : {}) };
  if (review && read.changes.length > 0) {
    const reviewed = await reviewView(finished, read, at, outcome, review);
    if (reviewed) return reviewed;
  }
  const isWithheld = review || !finished.isFenced ? undefined : withholder(bound, at);
  const committed = await commitView(ledger, call, read, { isWithheld });
  if (committed.held.length + committed.failed.length + committed.withheld.length > 0) tidyHeld(ledger, "");
  const unapplied = unappliedOf(committed);
  const ended = unapplied ? { ...outcome, unapplied } : outcome;
  return withNotes(ended, notesOf({ ledger, committed, wasLeft, output: outcome.output }));
}

/** The outcome if the review did not allow the changes; else `undefined`. */
async function reviewView(
  { ledger, call, view }: FinishedRun,
  read: ReadView,
  at: Inspection,
  outcome: RunOutcome,
  review: Review,
): Promise<RunOutcome | undefined> {
  const manifest = manifestOf(newId(), read.changes, at);
  const verdict = await review(manifest);
  if (verdict.do === "commit") return undefined;
  const ended = verdict.error ? { ...outcome, unapplied: verdict.error } : outcome;
  if (verdict.do === "discard") {
    discardView(view.folder);
    return withNotes(ended, notesOf({ ledger, discarded: verdict.why }));
  }
  const { id, digest } = manifest;
  holdView(ledger, call, view, { reason: "review", id, digest });
  tidyHeld(ledger, id);
  const diff = changesText(ledger.root, await previewOfView(read.changes, at.upper));
  return withNotes(ended, notesOf({ ledger, held: id, review: { why: verdict.why, diff } }));
}

/** Withholds names that run by themselves, and those that rules close, unless the grant names them. */
function withholder(bound: Bound | undefined, at: Inspection) {
  const named =
    bound?.effects.flatMap((effect) =>
      effect.do === "write" && !effect.tree && !effect.unread ? [effect.path] : [],
    ) ?? [];
  return (change: Parameters<typeof inspect>[0]): boolean => {
    if (named.some((path) => isWithin(change.path, path))) return false;
    if (change.after.type === "tree") return holdsGuardedName(change.path, at);
    if (isClosedName(change.path, at)) return true;
    return isWithheldName(change.path) && inspect(change, at).harmless !== true;
  };
}
