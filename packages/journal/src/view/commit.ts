import { type BigIntStats, lutimesSync } from "node:fs";
import type { JournalCall } from "@haft/core/executor";
import { isWithin } from "@haft/core/tool";
import { applyChanges, type Failed, partsOf } from "../apply/apply.ts";
import { fromJournal } from "../apply/restore.ts";
import { type BeforeImages, beginKeeping } from "../before-images.ts";
import { withExact } from "../image/exact.ts";
import { statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import { repositoryOf } from "../image/repository.ts";
import type { Ledger } from "../ledger.ts";
import { lossesIn } from "../store/loss.ts";
import type { Change, HeldReason, Loss } from "../store/record.ts";
import { discardView } from "./discard.ts";
import type { View } from "./mount.ts";
import { changesIn, type ViewChanges } from "./read/changes.ts";
import { noteOwnMarks } from "./read/meanwhile.ts";
import { fromView, upperOf } from "./supply.ts";

/** The result of committing a command's changes. */
export interface Committed {
  /** The id of the entry; absent if nothing was changed. */
  readonly id?: string;
  readonly applied: readonly Change[];
  /** The parts that were made of changes that failed halfway. */
  readonly made: readonly Change[];
  /** Not applied, because others had changed these paths; the view is kept. */
  readonly held: readonly string[];
  /** Paths that could not be applied, with the reason; the view is kept. */
  readonly failed: readonly Loss[];
  /** Not applied, because these run by themselves or govern tools; the view is kept. */
  readonly withheld: readonly string[];
  readonly losses: readonly Loss[];
  /** The id under which the unapplied changes are held. */
  readonly heldAs?: string;
}

export interface ReadOptions {
  /** Only these paths. */
  readonly only?: readonly string[];
  /** Let the command's version replace what others wrote meanwhile. */
  readonly force?: boolean;
}

/** A view compared with the current workspace. Nothing is changed yet. */
export interface ReadView {
  readonly view: View;
  readonly keeping: BeforeImages;
  /** Changes that can be applied. */
  readonly changes: readonly Change[];
  /** Others have changed these meanwhile. */
  readonly conflicts: readonly string[];
  readonly touched: readonly string[];
  readonly losses: readonly Loss[];
  /** Whether nobody has changed a path since it was compared. */
  isUntouched(change: Change, at: string): boolean;
}

export interface CommitOptions {
  /** Changes that must not be applied. */
  readonly isWithheld?: (change: Change) => boolean;
  /** The id under which the view is already held; unapplied changes stay held under it. */
  readonly heldAs?: string;
}

/** Compares a view whose processes have ended with the workspace. */
export function readView(ledger: Ledger, view: View, { only, force = false }: ReadOptions = {}): ReadView {
  const keeping = beginKeeping(ledger);
  const found = limitTo(only, changesIn(view, keeping, { force, isOwn: ledger.isOwn, isLinked: ledger.isLinked }));
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
 * Applies the changes of a view, each path in one step. Everything needed to undo them goes into the journal first.
 * Never overwrites changes that others made meanwhile: such a path stays in the view, which is kept. The same holds
 * for withheld changes.
 */
export async function commitView(
  ledger: Ledger,
  call: JournalCall,
  read: ReadView,
  { isWithheld = () => false, heldAs: name }: CommitOptions = {},
): Promise<Committed> {
  const { view, losses } = read;
  const withheld = read.changes.filter(isWithheld).map(({ path }) => path);
  // An entry of a folder that is not created cannot be created either.
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
  const undone = id === undefined ? [] : await apply(ledger, read, changes, id);
  touch(view, read.touched);
  const undonePaths = new Set(undone.map(({ path }) => path));
  const applied = changes.filter(({ path }) => !undonePaths.has(path));
  // The announced changes need not be repeated.
  const { losses: left, made } = partsOf(undone, changes);
  if (id !== undefined) ledger.done(id, undone.length === 0 ? undefined : [...applied, ...made]);
  const failed = left.filter(({ why }) => why !== CHANGED_NOW);
  held.push(...undone.filter(({ why }) => why === CHANGED_NOW).map(({ path }) => path));
  if (failed.length > 0)
    noteOwnMarks(
      view,
      [...applied, ...failed].map(({ path }) => path),
    );
  const reason = held.length > 0 ? "conflict" : failed.length > 0 ? "failed" : "protected";
  const paths = [...held, ...failed.map(({ path }) => path), ...withheld];
  const heldAs =
    paths.length > 0
      ? holdView(ledger, call, view, { reason, paths, ...(name === undefined ? {} : { id: name }) })
      : undefined;
  if (heldAs === undefined) {
    // First: after a kill, nobody may apply what is left of a view.
    if (name !== undefined) ledger.settle(name);
    discardView(view.folder);
  }
  const known = { ...(id === undefined ? {} : { id }), ...(heldAs === undefined ? {} : { heldAs }) };
  return { ...known, applied, made, held, failed, withheld, losses: [...losses, ...lossesIn(applied)] };
}

const CHANGED_NOW = "Others changed it at the same moment.";

const apply = (
  ledger: Ledger,
  { view, isUntouched }: ReadView,
  changes: readonly Change[],
  id: string,
): Promise<readonly Failed[]> =>
  applyChanges(changes, {
    ...fromView(view.folder, view.root, id, changes),
    ...fromJournal(ledger),
    refuses: (change, at) => (isUntouched(change, at) ? undefined : CHANGED_NOW),
  });

export interface Holding {
  readonly reason: HeldReason;
  /** Only these paths; empty means all. */
  readonly paths?: readonly string[];
  readonly id?: string;
  readonly digest?: string;
}

/** Keeps a view unchanged, to be applied later or never. Returns the id under which it is held. */
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

/** A conflict blocks everything below it. In a repository's own folder it blocks the whole folder, because its files belong together. */
function blockedBy(conflicts: readonly string[]): (path: string) => boolean {
  const blocks = new Set(conflicts.map((path) => repositoryOf(path) ?? path));
  if (blocks.size === 0) return () => false;
  return (path) => [...blocks].some((block) => isWithin(block, path));
}

/**
 * For the last check before a path is changed. Change times no longer count, because our own steps set them: on
 * folders by changes of their entries, on files by their other names.
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

/** A failure to set times is ignored. */
function setTimes(path: string, accessed: number, modified: number): void {
  try {
    withExact(path, (place) => lutimesSync(toSystem(place), accessed, modified));
  } catch {
    // Somebody has moved it meanwhile.
  }
}
