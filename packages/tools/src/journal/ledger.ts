import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "@haft/core/tool";
import { type JournalWays, toolWays } from "./cure.ts";
import { type Blobs, openBlobs } from "./store/blobs.ts";
import { collect, isCollectionDue, JOURNAL_BYTES } from "./store/collect.ts";
import { annexOf } from "./store/folder.ts";
import { openLog } from "./store/log.ts";
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
import { openWriters } from "./store/writer.ts";

export interface LedgerOptions {
  /** The journal's folder, outside the workspace. Made when something is first kept. */
  readonly folder: string;
  /** The folder whose changes are kept: absolute and real. */
  readonly root: string;
  /** All that Haft keeps of its own, the journal included. It may lie in `root`, where that is a home. Default: `folder`. */
  readonly state?: string;
  /** Bytes of old content that are kept; what is older is dropped. Default 1 GiB. */
  readonly limit?: number;
  /** In which words results say how one goes on with changes. Default: those of the model's tool. */
  readonly ways?: JournalWays;
}

/** The books of a journal: what was changed, what is about to be, and the contents that are needed to take it back. */
export interface Ledger extends LedgerOptions {
  /** Whether a path is Haft's own: no scan, no undo and no view takes it for something that a command changed. */
  isOwn(path: string): boolean;
  readonly ways: JournalWays;
  readonly blobs: Blobs;
  /** A folder on the file system of `root`, where there is one. */
  readonly annex: string | undefined;
  history(): History;
  /** Writes down what is about to be done; it is on disk when this returns. The name of the entry. */
  intend(intent: Omit<Intent, "t" | "id" | "at" | "writer">, id?: string): string;
  done(id: string, changes?: readonly Change[], losses?: readonly Loss[]): void;
  /** Something that is done already. */
  record(done: Omit<Intent, "t" | "id" | "at" | "writer">): void;
  /** Tells of every path that this process has changed, when it has. */
  onDone(listener: (changes: readonly Change[]) => void): void;
  /** Nothing of it was done. */
  drop(id: string): void;
  /** What carries this name as `together` has come to its end. */
  conclude(together: string): void;
  hold(held: Omit<Held, "t" | "id" | "at">, id?: string): string;
  settle(id: string): void;
  /** The hash of the last line. */
  head(): string | undefined;
  newId(): string;
  /** The name that this process's intents carry. */
  readonly writer: string;
  /** Leaves this process's mark, so that the next one cleans up if this one is killed. */
  enter(): void;
  /** Names of processes that died while writing, now ours to clean up after; `release` when that is done. */
  claimDead(): string[];
  release(claimed: readonly string[]): void;
  hasOtherWriters(): boolean;
  /** `sweep` gets the annex when it was used, lies beside the workspace, and nobody else uses it. */
  close(sweep?: (annex: string) => void): void;
}

/** Opens the books. Reads nothing and makes nothing. */
export function openLedger({
  folder,
  root,
  state = folder,
  limit = JOURNAL_BYTES,
  ways = toolWays,
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
  const annexNow = () => {
    annex ??= { path: annexOf(folder, root) };
    return annex.path;
  };
  let hasEntered = false;
  // What could not be written to its end (a full disk) is left to whoever finds this process's mark after it.
  const unfinished = new Map<string, readonly Change[]>();
  const late: (Intent | Done | Dropped | Whole)[] = [];
  /**
   * Says what has happened. A disk that refuses such a line refuses no work: what it says is known here, is written as soon as
   * it can be, and is found out anew by who comes after this process.
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
    blobs,
    get annex() {
      return annexNow();
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
      // Where nothing was written there is nothing to end.
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

/** A folder that is not there yet gets its place as it is named. */
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
