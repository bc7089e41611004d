import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "@haft/core/tool";
import { type ResidentProgram, residentProgram } from "@haft/host/files";
import { type JournalHints, toolWays } from "./hints.ts";
import { type Blobs, openBlobs } from "./store/blobs.ts";
import { collect, isCollectionDue, JOURNAL_BYTES } from "./store/collect.ts";
import { annexOf, baseIn } from "./store/folder.ts";
import { type Log, openLog } from "./store/log.ts";
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
  newId,
  type Settled,
  type Whole,
} from "./store/record.ts";
import { openStaging } from "./store/staging.ts";
import { openWriters, type Writers } from "./store/writer.ts";

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
  /** The folder of the copy of the workspace; on another file system there can be a copy, but no view. */
  readonly copyPlace: string | undefined;
  /** A shell for copies, which stays for the next one. */
  readonly shell: ResidentProgram;
  /** Facts about this machine that a result has told already. */
  readonly told: Set<string>;
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
  /** The name of this process in its intents. */
  readonly writer: string;
  /** Leaves a marker of this process, so that the next one cleans up if this one is killed. */
  enter(): void;
  /** Claims the work of processes that died while writing. Call `release` after the cleanup. */
  claimDead(): string[];
  release(claimed: readonly string[]): void;
  hasOtherWriters(): boolean;
  /** `sweep` gets the annex if it was used, is outside the journal's folder, and nobody else uses it. */
  close(sweep?: (annex: string) => Promise<void>): Promise<void>;
}

/** Opens the records. Reads and creates nothing. */
export const openLedger = (options: LedgerOptions): Ledger => new FolderLedger(options);

type Result = Intent | Done | Dropped | Whole | Settled;

class FolderLedger implements Ledger {
  readonly folder: string;
  readonly root: string;
  readonly limit: number;
  readonly ways: JournalHints;
  readonly beforeDirect?: () => Promise<void>;
  readonly isLinked?: (path: string) => boolean;
  readonly blobs: Blobs;
  readonly isOwn: (path: string) => boolean;
  readonly shell = residentProgram("/bin/sh", []);
  readonly told = new Set<string>();
  readonly #own: readonly string[];
  readonly #log: Log;
  readonly #writers: Writers;
  readonly #late: Result[] = [];
  readonly #listeners: ((changes: readonly Change[]) => void)[] = [];
  /** Unfinished entries (a full disk). The process that finds this one's marker finishes them. */
  readonly #unfinished = new Map<string, readonly Change[]>();
  #annex: { readonly path: string | undefined } | undefined;
  #staging: { readonly path: string | undefined } | undefined;
  #originals: Originals | undefined;
  #hasEntered = false;

  constructor({ folder, root, state = folder, limit = JOURNAL_BYTES, ways = toolWays, ...more }: LedgerOptions) {
    this.folder = folder;
    this.root = root;
    this.limit = limit;
    this.ways = ways;
    if (more.beforeDirect) this.beforeDirect = more.beforeDirect;
    if (more.isLinked) this.isLinked = more.isLinked;
    const own = new Set([state, folder].flatMap((place) => [place, realOf(place)]));
    this.#own = [...own].filter((place) => isWithin(root, place));
    this.isOwn = (path) => this.#own.some((place) => isWithin(place, path));
    this.#log = openLog(join(folder, "journal.jsonl"));
    this.#writers = openWriters(join(folder, "writers"));
    this.blobs = openBlobs(join(folder, "blobs"));
  }

  get annex(): string | undefined {
    this.#annex ??= { path: annexOf(this.folder, this.root) };
    return this.#annex.path;
  }

  get copyPlace(): string | undefined {
    if (this.root === "/") return undefined;
    return baseIn(this.annex ?? join(this.folder, "annex"));
  }

  get originals(): Originals | undefined {
    const place = this.annex;
    if (place === undefined || !isWithin(this.folder, place)) return undefined;
    this.#originals ??= openOriginals(originalsIn(place));
    return this.#originals;
  }

  get staging(): string | undefined {
    const place = this.annex;
    this.#staging ??= { path: place === undefined ? undefined : openStaging(place) };
    return this.#staging.path;
  }

  get writer(): string {
    return this.#writers.own;
  }

  history(): History {
    const history = historyOf([...this.#log.read(), ...this.#late]);
    if (this.#own.length === 0) return history;
    const withoutOwn = (changes: readonly Change[]) => changes.filter(({ path }) => !this.isOwn(path));
    return { ...history, entries: history.entries.map((entry) => ({ ...entry, changes: withoutOwn(entry.changes) })) };
  }

  intend(intent: Omit<Intent, "t" | "id" | "at" | "writer">, id = newId()): string {
    this.enter();
    this.#writeLate();
    this.#log.append({ t: "intent", id, ...now(), writer: this.writer, ...intent }, { durable: true });
    this.#unfinished.set(id, intent.changes);
    if (intent.together !== undefined) this.#unfinished.set(intent.together, []);
    return id;
  }

  done(id: string, changes?: readonly Change[], losses: readonly Loss[] = []): void {
    const known = { ...(changes ? { changes } : {}), ...(losses.length > 0 ? { losses } : {}) };
    const done = changes ?? this.#unfinished.get(id) ?? [];
    this.#conclude({ t: "done", id, ...now(), ...known });
    for (const listener of this.#listeners) listener(done);
  }

  record(intent: Omit<Intent, "t" | "id" | "at" | "writer">): void {
    const line = { id: newId(), ...now() };
    this.#conclude({ t: "intent", writer: this.writer, ...intent, ...line }, { t: "done", ...line });
  }

  onDone(listener: (changes: readonly Change[]) => void): void {
    this.#listeners.push(listener);
  }

  drop(id: string): void {
    this.#conclude({ t: "dropped", id, ...now() });
  }

  conclude(together: string): void {
    // A group without writes needs no end.
    if (this.#unfinished.has(together)) this.#conclude({ t: "whole", id: together, ...now() });
  }

  hold(held: Omit<Held, "t" | "id" | "at">, id = newId()): string {
    this.#log.append({ t: "held", id, ...now(), ...held }, { durable: true });
    return id;
  }

  settle(id: string): void {
    this.#conclude({ t: "settled", id, ...now() });
  }

  head(): string | undefined {
    return this.#log.head();
  }

  enter(): void {
    if (!this.#hasEntered) this.#writers.enter();
    this.#hasEntered = true;
  }

  claimDead(): string[] {
    return this.#writers.claimDead();
  }

  release(claimed: readonly string[]): void {
    this.#writers.release(claimed);
  }

  hasOtherWriters(): boolean {
    return this.#writers.hasOthers();
  }

  async close(sweep?: (annex: string) => Promise<void>): Promise<void> {
    const { folder, limit } = this;
    this.#tryWriteLate();
    const isDue = this.#hasEntered && isCollectionDue(folder, this.blobs.written, limit) && !this.hasOtherWriters();
    const [head, lines] = isDue ? [this.#log.head(), this.#log.read()] : [undefined, []];
    this.#log.close();
    if (isDue) collect({ folder, annex: this.annex, lines, limit, head });
    const place = this.#annex?.path;
    if (sweep && place !== undefined && !isWithin(folder, place) && !this.hasOtherWriters()) await sweep(place);
    if (this.#hasEntered && this.#unfinished.size === 0) this.#writers.leave();
    this.#hasEntered = false;
  }

  /**
   * Records results. A disk error here does not fail the work. The result is known in memory and is written as soon
   * as possible. Otherwise the next process finds it out again.
   */
  #conclude(...lines: readonly Result[]): void {
    this.#late.push(...lines);
    this.#tryWriteLate();
  }

  #tryWriteLate(): void {
    try {
      this.#writeLate();
    } catch {}
  }

  #writeLate(): void {
    for (let [line] = this.#late; line; [line] = this.#late) {
      this.#log.append(line);
      this.#late.shift();
      this.#unfinished.delete(line.id);
    }
  }
}

const now = () => ({ at: new Date().toISOString() });

/** A folder that does not exist yet keeps its given path. */
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
