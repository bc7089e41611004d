import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "@haft/core/tool";
import { type JournalHints, toolWays } from "./hints.ts";
import { type Blobs, openBlobs } from "./store/blobs.ts";
import { collect, isCollectionDue, JOURNAL_BYTES } from "./store/collect.ts";
import { annexOf } from "./store/folder.ts";
import { openLog } from "./store/log.ts";
import { type Originals, openOriginals, originalsIn } from "./store/originals.ts";
import {
  type Change,
  type Done,
  type Dropped,
  type Held,
  type History,
  historyOf,
  type Intent,
  type Loss,
  type Whole,
} from "./store/record.ts";
import { openStaging } from "./store/staging.ts";
import { openWriters } from "./store/writer.ts";

export interface LedgerOptions {
  /** The journal's folder, outside the workspace. Created when something is first kept. */
  readonly folder: string;
  /** The folder whose changes are kept: absolute and real. */
  readonly root: string;
  /** The folder with all of Haft's own files, including the journal. It may be in `root` if that is a home folder. Default: `folder`. */
  readonly state?: string;
  /** Most bytes of old content; the oldest is dropped first. Default 1 GiB. */
  readonly limit?: number;
  /** Whether files there are other names of files of somebody else, which must not change with them. */
  readonly isLinked?: (path: string) => boolean;
  /** Called before a program runs in the workspace without a view. */
  readonly beforeDirect?: () => Promise<void>;
  /** How results explain what to do with changes. Default: with the model's tool. */
  readonly ways?: JournalHints;
}

/** A journal's records: past changes, announced changes, and the contents to undo them. */
export interface Ledger extends LedgerOptions {
  /** Whether a path is Haft's own. Scans, undo and views ignore such paths. */
  isOwn(path: string): boolean;
  readonly ways: JournalHints;
  readonly blobs: Blobs;
  /** Displaced files; `undefined` if the journal is on another file system than the workspace. */
  readonly originals: Originals | undefined;
  /** A folder on the file system of `root`, if there is one. */
  readonly annex: string | undefined;
  /** A folder there in which new entries are made; see `openStaging`. */
  readonly staging: string | undefined;
  history(): History;
  /** Announces an action; the entry is on disk when this returns. Returns the id of the entry. */
  intend(intent: Omit<Intent, "t" | "id" | "at" | "writer">, id?: string): string;
  done(id: string, changes?: readonly Change[], losses?: readonly Loss[]): void;
  /** Records an action that is already done. */
  record(done: Omit<Intent, "t" | "id" | "at" | "writer">): void;
  /** Calls the listener with every path that this process has changed. */
  onDone(listener: (changes: readonly Change[]) => void): void;
  /** Records that nothing of it was done. */
  drop(id: string): void;
  /** Ends the group of entries with this name in `together`. */
  conclude(together: string): void;
  hold(held: Omit<Held, "t" | "id" | "at">, id?: string): string;
  settle(id: string): void;
  /** The hash of the last line. */
  head(): string | undefined;
  newId(): string;
  /** The name of this process in its intents. */
  readonly writer: string;
  /** Leaves a marker of this process, so that the next one cleans up if this one is killed. */
  enter(): void;
  /** Claims the work of processes that died while writing. Call `release` after the cleanup. */
  claimDead(): string[];
  release(claimed: readonly string[]): void;
  hasOtherWriters(): boolean;
  /** `sweep` gets the annex if it was used, is outside the journal's folder, and nobody else uses it. */
  close(sweep?: (annex: string) => void): void;
}

/** Opens the records. Reads and creates nothing. */
export function openLedger({
  folder,
  root,
  state = folder,
  limit = JOURNAL_BYTES,
  ways = toolWays,
  beforeDirect,
  isLinked,
}: LedgerOptions): Ledger {
  const own = [...new Set([state, folder].flatMap((place) => [place, realOf(place)]))].filter((place) =>
    isWithin(root, place),
  );
  const isOwn = (path: string): boolean => own.some((place) => isWithin(place, path));
  const withoutOwn = (history: History): History =>
    own.length === 0
      ? history
      : {
          ...history,
          entries: history.entries.map((entry) => ({
            ...entry,
            changes: entry.changes.filter((one) => !isOwn(one.path)),
          })),
        };
  const log = openLog(join(folder, "journal.jsonl"));
  const writers = openWriters(join(folder, "writers"));
  let annex: { readonly path: string | undefined } | undefined;
  const blobs = openBlobs(join(folder, "blobs"));
  let originals: Originals | undefined;
  const annexNow = () => {
    annex ??= { path: annexOf(folder, root) };
    return annex.path;
  };
  let staging: { readonly path: string | undefined } | undefined;
  let hasEntered = false;
  // Unfinished entries (a full disk). The process that finds this one's marker finishes them.
  const unfinished = new Map<string, readonly Change[]>();
  const late: (Intent | Done | Dropped | Whole)[] = [];
  /**
   * Records results. A disk error here does not fail the work. The result is known in memory and is written as soon
   * as possible. Otherwise the next process finds it out again.
   */
  const conclude = (...lines: typeof late) => {
    late.push(...lines);
    try {
      writeLate();
    } catch {}
  };
  const writeLate = () => {
    for (let [line] = late; line; [line] = late) {
      log.append(line);
      late.shift();
      unfinished.delete(line.id);
    }
  };
  const listeners: ((changes: readonly Change[]) => void)[] = [];
  const now = () => ({ at: new Date().toISOString() });
  const newId = () => `${Date.now().toString(36)}-${randomBytes(5).toString("hex")}`;
  const enter = () => {
    if (!hasEntered) writers.enter();
    hasEntered = true;
  };
  return {
    folder,
    root,
    limit,
    ways,
    ...(beforeDirect ? { beforeDirect } : {}),
    ...(isLinked ? { isLinked } : {}),
    blobs,
    get annex() {
      return annexNow();
    },
    get originals() {
      const place = annexNow();
      if (place === undefined || !isWithin(folder, place)) return undefined;
      originals ??= openOriginals(originalsIn(place));
      return originals;
    },
    get staging() {
      const place = annexNow();
      staging ??= { path: place === undefined ? undefined : openStaging(place) };
      return staging.path;
    },
    isOwn,
    history: () => withoutOwn(historyOf([...log.read(), ...late])),
    intend(intent, id = newId()) {
      enter();
      writeLate();
      log.append({ t: "intent", id, ...now(), writer: writers.own, ...intent }, { durable: true });
      unfinished.set(id, intent.changes);
      if (intent.together !== undefined) unfinished.set(intent.together, []);
      return id;
    },
    done(id, changes, losses = []) {
      const known = { ...(changes ? { changes } : {}), ...(losses.length > 0 ? { losses } : {}) };
      const done = changes ?? unfinished.get(id) ?? [];
      conclude({ t: "done", id, ...now(), ...known });
      for (const listener of listeners) listener(done);
    },
    record(intent) {
      const line = { id: newId(), ...now() };
      conclude({ t: "intent", writer: writers.own, ...intent, ...line }, { t: "done", ...line });
    },
    onDone: (listener) => listeners.push(listener),
    drop: (id) => conclude({ t: "dropped", id, ...now() }),
    conclude(together) {
      // A group without writes needs no end.
      if (unfinished.has(together)) conclude({ t: "whole", id: together, ...now() });
    },
    hold(held, id = newId()) {
      log.append({ t: "held", id, ...now(), ...held }, { durable: true });
      return id;
    },
    head: log.head,
    settle: (id) => log.append({ t: "settled", id, ...now() }),
    newId,
    writer: writers.own,
    enter,
    claimDead: writers.claimDead,
    release: writers.release,
    hasOtherWriters: writers.hasOthers,
    close(sweep) {
      try {
        writeLate();
      } catch {}
      const isDue = hasEntered && isCollectionDue(folder, blobs.written, limit) && !writers.hasOthers();
      const [head, lines] = isDue ? [log.head(), log.read()] : [undefined, []];
      log.close();
      if (isDue) collect({ folder, annex: annexNow(), lines, limit, head });
      const place = annex?.path;
      if (sweep && place !== undefined && !isWithin(folder, place) && !writers.hasOthers()) sweep(place);
      if (hasEntered && unfinished.size === 0) writers.leave();
      hasEntered = false;
    },
  };
}

/** A folder that does not exist yet keeps its given path. */
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
