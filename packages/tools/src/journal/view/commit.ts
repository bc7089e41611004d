import { type BigIntStats, lutimesSync } from "node:fs";
import type { JournalCall } from "@haft/core/executor";
import { isWithin } from "@haft/core/tool";
import { applyChanges } from "../apply/apply.ts";
import { withExact } from "../image/exact.ts";
import { statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import { repositoryOf } from "../image/repository.ts";
import { beginKeeping, type Keeping } from "../keep.ts";
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
  /** Could not be applied, and why; the view is kept. */
  readonly failed: readonly Loss[];
  /** Not applied, since these run by themselves or govern tools; the view is kept. */
  readonly withheld: readonly string[];
  readonly losses: readonly Loss[];
  /** The name under which what was not applied is held. */
  readonly heldAs?: string;
}

export interface ReadOptions {
  /** Only these paths. */
  readonly only?: readonly string[];
  /** Put the command's version in the place of what others wrote meanwhile. */
  readonly force?: boolean;
}

/** What a view holds, compared with what is there now. Nothing is changed yet. */
export interface ReadView {
  readonly view: View;
  readonly keeping: Keeping;
  /** What can be applied. */
  readonly changes: readonly Change[];
  /** Others have changed these meanwhile. */
  readonly conflicts: readonly string[];
  readonly touched: readonly string[];
  readonly losses: readonly Loss[];
  /** Whether nobody has changed a path since it was compared. */
  isUntouched(change: Change, at: string): boolean;
}

export interface CommitOptions {
  /** What is not to become real. */
  readonly isWithheld?: (change: Change) => boolean;
  /** The name under which the view is held already: what is not applied stays held under it. */
  readonly heldAs?: string;
}

/** Compares a view whose processes have ended with the workspace. */
export function readView(ledger: Ledger, view: View, { only, force = false }: ReadOptions = {}): ReadView {
  const keeping = beginKeeping(ledger);
  const found = limitTo(only, changesIn(view, keeping, { force, isOwn: ledger.isOwn }));
  const blocked = blockedBy(found.conflicts);
  const changes = found.changes.filter(({ path }) => !blocked(path));
  return {
    view,
    keeping,
    changes,
    conflicts: [...found.conflicts, ...found.changes.map(({ path }) => path).filter(blocked)],
    touched: found.touched,
    losses: found.losses,
    isUntouched: force ? () => true : unchangedSince(changes, found.found),
  };
}

/**
 * Makes the changes of a view real, each path in one step, with everything in the journal first that is needed to take
 * them back. What others changed meanwhile is never overwritten: then that path stays in the view, which is kept; so does
 * what is withheld.
 */
export async function commitView(
  ledger: Ledger,
  call: JournalCall,
  read: ReadView,
  { isWithheld = () => false, heldAs: name }: CommitOptions = {},
): Promise<Committed> {
  const { view, losses } = read;
  const withheld = read.changes.filter(isWithheld).map(({ path }) => path);
  // What lies in a folder that is not made cannot be made either.
  const isOut = (path: string): boolean => withheld.some((folder) => isWithin(folder, path));
  const changes = withheld.length === 0 ? read.changes : read.changes.filter(({ path }) => !isOut(path));
  const held = [...read.conflicts];
  let id: string | undefined;
  if (changes.length > 0 || losses.length > 0) {
    read.keeping.seal();
    const { id: callId, session, tool, turn } = call;
    const entry = { kind: "command", session, call: callId, tool, turn, view: view.folder, changes } as const;
    id = ledger.intend({ ...entry, ...(losses.length > 0 ? { losses } : {}) });
  }
  const undone = id === undefined ? [] : await apply(read, changes, id);
  touch(view, read.touched);
  const undonePaths = new Set(undone.map(({ path }) => path));
  const applied = changes.filter(({ path }) => !undonePaths.has(path));
  // What was announced need not be said again.
  if (id !== undefined) ledger.done(id, undone.length === 0 ? undefined : applied);
  const failed = undone.filter(({ why }) => why !== CHANGED_NOW);
  held.push(...undone.filter(({ why }) => why === CHANGED_NOW).map(({ path }) => path));
  const reason = held.length > 0 ? "conflict" : failed.length > 0 ? "failed" : "protected";
  const paths = [...held, ...failed.map(({ path }) => path), ...withheld];
  const heldAs =
    paths.length > 0
      ? holdView(ledger, call, view, { reason, paths, ...(name === undefined ? {} : { id: name }) })
      : undefined;
  if (heldAs === undefined) discardView(view.folder);
  const known = { ...(id === undefined ? {} : { id }), ...(heldAs === undefined ? {} : { heldAs }) };
  return { ...known, applied, held, failed, withheld, losses: [...losses, ...lossesIn(applied)] };
}

const CHANGED_NOW = "It was changed by others in this very moment.";

const apply = ({ view, isUntouched }: ReadView, changes: readonly Change[], id: string): Promise<readonly Loss[]> =>
  applyChanges(changes, {
    ...fromView(view.folder, view.root, id, changes),
    refuses: (change, at) => (isUntouched(change, at) ? undefined : CHANGED_NOW),
  });

export interface Holding {
  readonly reason: HeldReason;
  /** Only these; none: all of them. */
  readonly paths?: readonly string[];
  readonly id?: string;
  readonly digest?: string;
}

/** Leaves a view as it is, to be applied later or never. The name under which it is held. */
export function holdView(
  ledger: Ledger,
  { id: call, session, tool, turn }: JournalCall,
  { folder, root, variant }: View,
  { reason, paths = [], id, digest }: Holding,
): string {
  const entry = { session, call, tool, turn, view: folder, root, variant, reason, paths };
  return ledger.hold({ ...entry, ...(digest === undefined ? {} : { digest }) }, id);
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
    found: found.found,
  };
}

/** A conflict blocks what is below it; and within a repository's own folder everything, for its files belong together. */
function blockedBy(conflicts: readonly string[]): (path: string) => boolean {
  const blocks = new Set(conflicts.map((path) => repositoryOf(path) ?? path));
  if (blocks.size === 0) return () => false;
  return (path) => [...blocks].some((block) => isWithin(block, path));
}

/**
 * For the last look before a path is changed. Change times do not count any more: our own steps set them, on folders by
 * what is in them, on files by their other names.
 */
function unchangedSince(changes: readonly Change[], found: ViewChanges["found"]): ReadView["isUntouched"] {
  const then = ({ path }: Change) => markOf(found.has(path) ? found.get(path) : statOf(path));
  const marks = new Map(changes.map((change) => [change.path, then(change)]));
  return ({ path, after, shared }, at) =>
    (shared === true && after.type === "file" && after.linkOf !== undefined) || marks.get(path) === markOf(statOf(at));
}

function markOf(found: BigIntStats | undefined): string {
  if (!found) return "";
  return found.isDirectory() ? `${found.ino}` : `${found.ino} ${found.size} ${found.mtimeNs} ${found.mode}`;
}

function touch({ folder, root }: View, paths: readonly string[]): void {
  for (const path of paths) {
    const from = statOf(upperOf(folder) + path.slice(root.length));
    if (from) setTimes(path, Number(from.atimeMs) / 1000, Number(from.mtimeMs) / 1000);
  }
}

/** Times are not worth a failure. */
function setTimes(path: string, accessed: number, modified: number): void {
  try {
    withExact(path, (place) => lutimesSync(toSystem(place), accessed, modified));
  } catch {
    // Somebody has moved it meanwhile.
  }
}
