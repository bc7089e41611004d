import { utimesSync } from "node:fs";
import type { JournalCall } from "@haft/core/executor";
import { isWithin } from "@haft/core/tool";
import { applyChanges } from "../apply.ts";
import { statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import { beginKeeping } from "../keep.ts";
import type { Ledger } from "../ledger.ts";
import { lossesIn } from "../store/loss.ts";
import type { Change, HeldReason, Loss } from "../store/record.ts";
import { changesIn, type ViewChanges } from "./changes.ts";
import { discardView } from "./discard.ts";
import type { View } from "./mount.ts";
import { fromView, upperOf } from "./supply.ts";

/** What became of a command's changes. */
export interface Committed {
  /** The entry; absent when nothing was changed. */
  readonly id?: string;
  readonly applied: readonly Change[];
  /** Not applied, since others had changed these paths; the view is kept. */
  readonly held: readonly string[];
  readonly losses: readonly Loss[];
}

export interface CommitOptions {
  /** Only these paths. */
  readonly only?: readonly string[];
  /** Put the command's version in the place of what others wrote meanwhile. */
  readonly force?: boolean;
}

/**
 * Makes the changes of a view real, each path in one step, with everything in the journal first that is needed to take
 * them back. What others changed meanwhile is never overwritten: then that path stays in the view, which is kept.
 */
export async function commitView(
  ledger: Ledger,
  call: JournalCall,
  view: View,
  { only, force = false }: CommitOptions = {},
): Promise<Committed> {
  const keeping = beginKeeping(ledger);
  const found = limitTo(only, changesIn(view, keeping, { force }));
  const blocked = blockedBy(found.conflicts);
  const changes = found.changes.filter(({ path }) => !blocked(path));
  const held = [...found.conflicts, ...found.changes.map(({ path }) => path).filter(blocked)];
  if (changes.length === 0 && held.length === 0 && found.losses.length === 0) {
    touch(view, found.touched);
    discardView(view.folder);
    return { applied: [], held, losses: [] };
  }
  keeping.seal();
  const { id: callId, session, tool, turn } = call;
  const entry = { kind: "command", session, call: callId, tool, turn, view: view.folder, changes } as const;
  const id = ledger.intend({ ...entry, ...(found.losses.length > 0 ? { losses: found.losses } : {}) });
  const isUntouched = force ? () => true : unchangedSince(changes);
  const failed = await applyChanges(changes, {
    ...fromView(view.folder, view.root, id),
    refuses: (change) => (isUntouched(change) ? undefined : "It was changed by others in this very moment."),
  });
  touch(view, found.touched);
  const failedPaths = new Set(failed.map(({ path }) => path));
  const applied = changes.filter(({ path }) => !failedPaths.has(path));
  ledger.done(id, applied);
  held.push(...failedPaths);
  if (held.length > 0) holdView(ledger, call, view, "conflict", held);
  else discardView(view.folder);
  return { id, applied, held, losses: [...found.losses, ...lossesIn(applied)] };
}

/** Leaves a view as it is, to be applied later or never. */
export function holdView(
  ledger: Ledger,
  call: JournalCall,
  view: View,
  reason: HeldReason,
  paths: readonly string[],
): void {
  const { id, session, tool, turn } = call;
  const { folder, root, variant } = view;
  ledger.hold({ session, call: id, tool, turn, view: folder, root, variant, reason, paths });
}

function limitTo(only: readonly string[] | undefined, found: ViewChanges): ViewChanges {
  if (!only) return found;
  const chosen = new Set(only);
  const { changes, conflicts, losses } = found;
  return {
    changes: changes.filter(({ path }) => chosen.has(path)),
    conflicts: conflicts.filter((path) => chosen.has(path)),
    losses,
    touched: [],
  };
}

/** A conflict blocks what is below it; and within a repository's own folder everything, for its files belong together. */
function blockedBy(conflicts: readonly string[]): (path: string) => boolean {
  const blocks = new Set(conflicts.map((path) => /^.*?\/\.git(?=\/)/.exec(path)?.[0] ?? path));
  if (blocks.size === 0) return () => false;
  return (path) => [...blocks].some((block) => isWithin(block, path));
}

/**
 * For the last look before a path is changed. Change times do not count any more: our own steps set them, on folders by
 * what is in them, on files by their other names.
 */
function unchangedSince(changes: readonly Change[]): (change: Change) => boolean {
  const marks = new Map(changes.map(({ path }) => [path, markOf(path)]));
  return ({ path, after, shared }) =>
    (shared === true && after.type === "file" && after.linkOf !== undefined) || marks.get(path) === markOf(path);
}

function markOf(path: string): string {
  const found = statOf(path);
  if (!found) return "";
  return found.isDirectory() ? `${found.ino}` : `${found.ino} ${found.size} ${found.mtimeNs} ${found.mode}`;
}

function touch({ folder, root }: View, paths: readonly string[]): void {
  for (const path of paths) {
    const from = statOf(upperOf(folder) + path.slice(root.length));
    if (from) utimesSync(toSystem(path), Number(from.atimeMs) / 1000, Number(from.mtimeMs) / 1000);
  }
}
