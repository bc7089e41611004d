import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parent } from "@haft/core/tool";
import { processOf } from "../host/alive.ts";
import { temporaryBegin } from "../host/files/write.ts";
import { applyChanges } from "./apply.ts";
import { holds, type Image, lookAt, same, statOf } from "./image/image.ts";
import type { Ledger } from "./ledger.ts";
import { fromBlobs } from "./restore.ts";
import type { Change, Entry, History } from "./store/record.ts";
import type { OnRecovered } from "./store/recovered.ts";
import { rollBack } from "./undo/roll-back.ts";
import { holdView } from "./view/commit.ts";
import { discardView } from "./view/discard.ts";
import { startMarkOf, type ViewOwner, viewsIn } from "./view/mount.ts";
import { fromView } from "./view/supply.ts";

/**
 * Finishes what processes began and did not end because they were killed. A single write is taken as what is found; a
 * command's changes, an undo and a redo are carried to their end, as far as nobody else has changed the paths meanwhile. Of
 * writes that belong together all are taken back.
 */
export async function recover(ledger: Ledger, tell: OnRecovered = () => {}): Promise<void> {
  const claimed = ledger.claimDead();
  if (claimed.length === 0) return;
  const dead = new Set(claimed.map((name) => name.split("~")[0]));
  for (const entry of ledger.history().entries) {
    if (entry.state === "open" && dead.has(entry.writer)) await finish(ledger, entry, tell);
  }
  await rollBack(ledger, (writer) => dead.has(writer), tell);
  // Read again, for what was just finished; but once for all views, as those that are held may be many.
  const history = ledger.history();
  for (const { folder, owner } of viewsOf(ledger)) sortOut(ledger, history, { folder, owner, dead, tell });
  ledger.release(claimed);
}

async function finish(ledger: Ledger, entry: Entry, tell: OnRecovered): Promise<void> {
  clearTemporaries(entry);
  if (entry.kind === "write") return finishWrite(ledger, entry);
  if (entry.kind === "command" && entry.view === undefined) {
    ledger.done(entry.id, [], [{ path: ledger.root, why: "Haft was ended while this command ran." }]);
    return tell({ session: entry.session, call: entry.call, tool: entry.tool, end: "unknown" });
  }
  const rest = entry.changes.filter((change) => !holds(change.path, change.after) && isOurs(change));
  const supply =
    entry.view === undefined ? fromBlobs(ledger, entry.id) : fromView(entry.view, ledger.root, entry.id, rest);
  await applyChanges(rest, supply);
  if (entry.view !== undefined && existsSync(entry.view)) discardView(entry.view);
  close(ledger, entry);
}

interface Left {
  readonly folder: string;
  readonly owner: ViewOwner | undefined;
  readonly dead: ReadonlySet<string | undefined>;
  readonly tell: OnRecovered;
}

/** A view that a killed process left: its changes are held, unless they were applied already. */
function sortOut(ledger: Ledger, { entries, held }: History, { folder, owner, dead, tell }: Left): void {
  if (held.some(({ view }) => view === folder)) return;
  const isNobodys = owner === undefined && !ledger.hasOtherWriters();
  const isApplied = entries.some(({ view }) => view === folder) && owner !== undefined && dead.has(owner.writer);
  if (isNobodys || isApplied) discardView(folder);
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

/** Whether the path is as it was before, or was left half-written: in place, which happens only to files with several names. */
function isOurs({ path, before, shared }: Change): boolean {
  return shared === true || holds(path, before) || isOpenFolder(path, before);
}

/** A folder is open to its owner while things are put into it or taken out. */
function isOpenFolder(path: string, before: Image): boolean {
  const now = lookAt(path);
  const open = (before.type === "folder" ? before.mode : 0) | 0o700;
  return now.type === "folder" && now.mode === open;
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

/** What has happened of it is done; if nothing has, it is dropped. */
function close(ledger: Ledger, entry: Entry): void {
  const changes = entry.changes.filter(({ path, before, after }) => holds(path, after) && !same(before, after));
  if (changes.length === 0) ledger.drop(entry.id);
  else ledger.done(entry.id, changes);
}

/** Views that somebody left behind. */
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

/** What the process had in the making, under names of its own. */
function clearTemporaries({ id, kind, writer, changes }: Entry): void {
  const begin = kind === "write" ? temporaryBegin(processOf(writer)) : `.haft-${id}-`;
  for (const folder of new Set(changes.map(({ path }) => parent(path)))) {
    try {
      const names = readdirSync(folder).filter((name) => name.startsWith(begin) && name.endsWith(".tmp"));
      for (const name of names) rmSync(join(folder, name), { force: true });
    } catch {
      // The folder is gone, and what was in it.
    }
  }
}
