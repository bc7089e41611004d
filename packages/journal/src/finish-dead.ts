import { existsSync, readdirSync, readFileSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { parent } from "@haft/core/tool";
import { processOf } from "@haft/host";
import { temporaryBegin } from "@haft/host/files";
import { applyChanges } from "./apply/apply.ts";
import { fromBlobs, fromJournal } from "./apply/restore.ts";
import { extractedIn } from "./base/extract.ts";
import { openExactFolder } from "./image/exact.ts";
import { equal, holds, isDetail, lookAt, same, statOf } from "./image/image.ts";
import { toSystem } from "./image/raw-path.ts";
import { namesIn } from "./image/tree.ts";
import type { Ledger } from "./ledger.ts";
import type { Change, Entry, History, Loss } from "./store/record.ts";
import type { OnRecovered } from "./store/recovered.ts";
import { stagingIn } from "./store/staging.ts";
import { rollBack } from "./undo/roll-back.ts";
import { holdView } from "./view/commit.ts";
import { discardView } from "./view/discard.ts";
import { isClone, startMarkOf, type ViewOwner, viewsIn } from "./view/mount.ts";
import { fromView } from "./view/supply.ts";

/** Finishes the entries and views of these processes, which have died. */
export async function finishDead(ledger: Ledger, claimed: readonly string[], tell: OnRecovered): Promise<void> {
  const dead = new Set(claimed.map((name) => name.split("~")[0]));
  for (const entry of ledger.history().entries) {
    if (entry.state === "open" && dead.has(entry.writer)) await finish(ledger, entry, tell);
  }
  await rollBack(ledger, (writer) => dead.has(writer), tell);
  // Read again because of the entries that were just finished. Read only once for all views, because many may be held.
  const history = ledger.history();
  for (const { folder, owner } of viewsOf(ledger)) sortOut(ledger, history, { folder, owner, dead, tell });
  ledger.release(claimed);
}

async function finish(ledger: Ledger, entry: Entry, tell: OnRecovered): Promise<void> {
  clearTemporaries(ledger, entry);
  if (entry.kind === "write") return finishWrite(ledger, entry);
  if (entry.kind === "command" && entry.view === undefined) {
    ledger.done(entry.id, [], [{ path: ledger.root, why: "Haft was stopped while this command ran." }]);
    return tell({ session: entry.session, call: entry.call, tool: entry.tool, end: "unknown" });
  }
  const rest = entry.changes.flatMap((change) =>
    holds(change.path, change.after) ? detailsLeft(change) : isOurs(change) ? change : [],
  );
  const supply =
    entry.view === undefined
      ? fromBlobs(ledger, entry.id)
      : { ...fromView(entry.view, ledger.root, entry.id, rest), ...fromJournal(ledger) };
  const failed = await applyChanges(rest, supply);
  if (entry.view !== undefined) settleView(ledger, entry, entry.view, failed);
  close(ledger, entry, failed);
  const { session, call, tool, view, changes } = entry;
  if (view !== undefined && changes.every(({ path, after }) => holds(path, after)))
    tell({ session, call, tool, end: "applied" });
}

/** Attributes come last: an entry that has its content may still lack them. */
function detailsLeft(change: Change): readonly Change[] {
  const { path, after } = change;
  if (isDetail(change)) return [change];
  if (!("attributes" in after) || after.attributes === undefined) return [];
  const { attributes: _, ...before } = after;
  return [{ path, before, after }];
}

/** Changes that could not be completed stay in the view, for `redo` or a person. Otherwise the view is discarded. */
function settleView(ledger: Ledger, entry: Entry, view: string, failed: readonly Loss[]): void {
  const held = ledger.history().held.find((one) => one.view === view);
  if (failed.length === 0) {
    if (held) ledger.settle(held.id);
    if (existsSync(view)) discardView(view);
  } else if (!held && existsSync(view)) {
    const owner = viewsOf(ledger).find(({ folder }) => folder === view)?.owner;
    const paths = failed.map(({ path }) => path);
    if (owner) holdView(ledger, { ...owner, id: entry.call }, viewOf(ledger, view, owner), { reason: "failed", paths });
  }
}

const viewOf = ({ root }: Ledger, folder: string, { variant }: ViewOwner) => ({ folder, root, variant });

interface Left {
  readonly folder: string;
  readonly owner: ViewOwner | undefined;
  readonly dead: ReadonlySet<string | undefined>;
  readonly tell: OnRecovered;
}

/** Holds the changes of a killed process's view, unless they were already applied. */
function sortOut(ledger: Ledger, { entries, held }: History, { folder, owner, dead, tell }: Left): void {
  if (held.some(({ view }) => view === folder)) return;
  const isNobodys = owner === undefined && !ledger.hasOtherWriters();
  const isApplied = entries.some(({ view }) => view === folder) && owner !== undefined && dead.has(owner.writer);
  // A command that was killed in a copy has no layer of its own; the copy is cleaned before its next use.
  const isCopy = owner !== undefined && isClone(owner.variant) && extractedIn(folder) === undefined;
  if (isNobodys || isApplied || (isCopy && dead.has(owner.writer))) discardView(folder);
  else if (owner && dead.has(owner.writer)) {
    const id = holdView(ledger, owner, { ...owner, folder, root: ledger.root }, { reason: "killed" });
    tell({
      session: owner.session,
      call: owner.id,
      tool: owner.tool,
      end: "held",
      held: id,
      ways: ledger.ways.held(id),
    });
  }
}

/**
 * Whether a path is unchanged, or in an intermediate state of our own steps: a file with several names that is
 * written in place; a missing entry between two of different types; a folder that is open to its owner while entries
 * are added or removed.
 */
function isOurs(change: Change): boolean {
  const { path, before, shared } = change;
  return shared === true || holds(path, before) || isBetween(change) || isOpenFolder(change);
}

const isBetween = ({ path, before, after }: Change): boolean =>
  before.type !== "none" && after.type !== "none" && before.type !== after.type && statOf(path) === undefined;

function isOpenFolder({ path, before, after }: Change): boolean {
  const now = lookAt(path);
  if (now.type !== "folder") return false;
  const isOpened = before.type === "folder" && now.mode === (before.mode | 0o700);
  return isOpened || (after.type === "folder" && now.mode === 0o700);
}

function finishWrite(ledger: Ledger, entry: Entry): void {
  const changes = entry.changes.map((change): Change => {
    const isFolder = change.after.type === "none" && statOf(change.path)?.isDirectory() === true;
    return isFolder
      ? { ...change, after: { type: "folder", mode: Number(statOf(change.path)!.mode) & 0o7777 } }
      : change;
  });
  close(ledger, { ...entry, changes });
}

/** Marks applied changes as done, or drops the entry if there are none. Reports a path in neither state as lost. */
function close(ledger: Ledger, entry: Entry, failed: readonly Loss[] = []): void {
  const why = new Map(failed.map((loss) => [loss.path, loss.why]));
  const changes = entry.changes.filter(({ path, before, after }) => holds(path, after) && !equal(before, after));
  // A single write is one step. Another process wrote any other state, so nothing of ours is lost.
  const torn = entry.kind === "write" ? [] : entry.changes.filter((change) => !isOldOrNew(change));
  const losses = torn.map(({ path }): Loss => ({ path, why: why.get(path) ?? NEITHER }));
  if (changes.length === 0 && losses.length === 0) ledger.drop(entry.id);
  else ledger.done(entry.id, changes, [...(entry.losses ?? []), ...losses]);
}

const isOldOrNew = ({ path, before, after }: Change): boolean => holds(path, after) || holds(path, before);

const NEITHER =
  "Haft was killed while changing this, and it now has neither the old nor the new content: somebody else has changed it.";

/** Leftover views. */
function viewsOf({ annex }: Ledger): readonly { readonly folder: string; readonly owner?: ViewOwner }[] {
  if (annex === undefined || !existsSync(viewsIn(annex))) return [];
  return readdirSync(viewsIn(annex)).flatMap((name) => {
    const folder = join(viewsIn(annex), name);
    try {
      return [{ folder, owner: JSON.parse(readFileSync(startMarkOf(folder), "utf8")) as ViewOwner }];
    } catch {
      return [{ folder }];
    }
  });
}

/** Removes the process's temporary files: new content, and old content on its way out. */
function clearTemporaries({ annex }: Ledger, entry: Entry): void {
  const staging = annex === undefined ? [] : [stagingIn(annex)];
  for (const folder of new Set([...staging, ...entry.changes.map(({ path }) => parent(path))])) {
    try {
      clearFolder(folder, entry);
    } catch {
      // The folder and its content are gone.
    }
  }
}

function clearFolder(path: string, { id, kind, writer, changes }: Entry): void {
  const begin = kind === "write" ? temporaryBegin(processOf(writer)) : `.haft-${id}-`;
  using folder = openExactFolder(path);
  for (const name of namesIn(path).filter((one) => one.startsWith(begin))) {
    const place = toSystem(folder.at(name));
    // Old content is in the journal. Any other file with such a name belongs to somebody else, and stays.
    const isOld = () =>
      changes.some((change) => parent(change.path) === path && same(lookAt(`${path}/${name}`), change.before));
    if (!name.endsWith(".tmp") && !(name.endsWith(".old") && isOld())) continue;
    if (statOf(folder.at(name))?.isDirectory()) rmdirSync(place);
    else unlinkSync(place);
  }
}
