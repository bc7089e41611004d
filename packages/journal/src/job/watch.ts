import type { JobJournal, JournalCall } from "@haft/core/executor";
import { onlyReads } from "@haft/core/policy";
import type { Bound, JobState } from "@haft/core/tool";
import { reasonOf } from "../apply/reason.ts";
import { type Before, changesSince, lookBefore, scanAll } from "../direct/before.ts";
import { ignoredFolders } from "../direct/git.ts";
import { same, statOf } from "../image/image.ts";
import { traceOf } from "../image/trace.ts";
import type { Ledger } from "../ledger.ts";
import { notUndoable } from "../store/loss.ts";
import type { Change, Loss } from "../store/record.ts";
import { absorbed } from "./absorb.ts";
import { beginServed, type Served, servedWords } from "./served.ts";
import { type Seen, wordsOf } from "./words.ts";

/** Detects changes in the workspace while background jobs run there. */
export interface JobWatch extends JobJournal {
  /** Records all changes until now, so that Haft's next change, to this path or to any, comes after them in the journal. */
  look(path?: string): Promise<void>;
  /** Must be called at the end of every job. */
  ended(id: string): void;
  /** Resolves when everything is recorded. */
  idle(): Promise<void>;
}

interface Watched extends Seen {
  readonly call: JournalCall;
  /** An open entry. If this process is killed, the next one reports that the job's changes are unknown. */
  readonly open: string;
  isOver: boolean;
}

/** Most of the time that scans may take, as a share, because jobs are queried often. */
const SHARE = 1 / 10;
const TOO_MANY = "There are too many files to check.";

/**
 * Jobs run in the workspace itself, beside people, editors and Haft's own calls. The workspace is scanned when the
 * first job starts, with copies of small files. It is scanned again at each query, before each of Haft's own changes,
 * and at each end. Differences happened during the jobs, but anybody may have made them. Folders that git ignores are
 * not scanned: their programs can make them again. A served job needs no scan, because it can change only its output
 * folders.
 */
export const watchJobs = (ledger: Ledger): JobWatch => new LedgerWatch(ledger);

class LedgerWatch implements JobWatch {
  readonly #ledger: Ledger;
  readonly #jobs = new Map<string, Watched>();
  readonly #served = new Map<string, Served>();
  #before: Before | undefined;
  /** Skipped folders with the time of their last change: every folder that was ever ignored. */
  #outputs = new Map<string, bigint | undefined>();
  #starting = 0;
  #lastLook = { at: 0, took: 0, date: "" };
  #turn: Promise<void> = Promise.resolve();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    ledger.onDone((changes) => {
      if (this.#before) this.#before = absorbed(ledger, this.#before, changes);
    });
  }

  async start(call: JournalCall, bound: Bound, launch: () => Promise<JobState>): Promise<JobState> {
    if (onlyReads(bound)) return launch();
    if (bound.hold) {
      const begun = beginServed(Date.now());
      const state = await launch();
      this.#served.set(state.id, begun(state));
      return state;
    }
    this.#starting++;
    try {
      await this.#inTurn(() => this.#begin());
      const { id, session, tool, turn } = call;
      const open = this.#ledger.intend({ kind: "command", session, call: id, tool, turn, changes: [] });
      const state = await launch().catch((thrown: unknown) => {
        this.#ledger.drop(open);
        throw thrown;
      });
      const seen = { changed: new Set<string>(), losses: new Map<string, string>(), outputs: new Set<string>() };
      this.#jobs.set(state.id, { call, open, isOver: false, ...seen });
      if (this.#before === undefined || !this.#before.scan.complete) seen.losses.set(this.#ledger.root, TOO_MANY);
      if (state.status === "ended") this.ended(state.id);
      return state;
    } finally {
      this.#starting--;
      if (this.#running().length === 0 && this.#starting === 0) this.#before = undefined;
    }
  }

  async changesDuring(id: string): Promise<string | undefined> {
    const alone = this.#served.get(id);
    if (alone) return servedWords(this.#ledger.root, alone);
    const job = this.#jobs.get(id);
    if (!job) return undefined;
    const { at, took } = this.#lastLook;
    if (!job.isOver && performance.now() - at > took / SHARE) await this.#inTurn(() => this.#lookNow());
    else await this.#turn;
    return wordsOf(this.#ledger, job.call.id, job);
  }

  look(path?: string): Promise<void> {
    const isSame = path !== undefined && traceOf(path)?.mark === this.#before?.scan.entries.get(path)?.mark;
    return this.#running().length === 0 || isSame ? this.#turn : this.#inTurn(() => this.#lookNow());
  }

  idle(): Promise<void> {
    return this.#turn.then(() => undefined);
  }

  ended(id: string): void {
    const job = this.#jobs.get(id);
    if (!job || job.isOver) return;
    void this.#inTurn(() => this.#lookNow()).then(() => {
      job.isOver = true;
      this.#ledger.drop(job.open);
      if (this.#running().length === 0 && this.#starting === 0) this.#before = undefined;
    });
  }

  #running() {
    return [...this.#jobs].filter(([, { isOver }]) => !isOver);
  }

  /** Runs one scan at a time. A failed scan (a full disk) is reported and does not stop later ones. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).catch((thrown: unknown) => {
      for (const [, job] of this.#running())
        job.losses.set(this.#ledger.root, `It could not be checked: ${reasonOf(thrown)}`);
    });
    return this.#turn;
  }

  async #begin(): Promise<void> {
    if (this.#before) return this.#lookNow();
    const folders = await ignoredFolders(this.#ledger.root);
    this.#outputs = new Map(folders.map((folder) => [folder, statOf(folder)?.ctimeNs]));
    this.#before = await lookBefore(this.#ledger, [this.#ledger.root], (folder) => this.#outputs.has(folder));
    this.#lastLook = { at: performance.now(), took: 0, date: new Date().toISOString() };
  }

  async #lookNow(): Promise<void> {
    const owners = this.#running();
    if (!this.#before || owners.length === 0) return;
    const [at, date] = [performance.now(), new Date().toISOString()];
    const made = await this.#madeAgain();
    const known = this.#before;
    const after = known.scan.complete
      ? scanAll(this.#ledger, [this.#ledger.root], (folder) => this.#outputs.has(folder))
      : known.scan;
    const unread: Loss[] = [];
    const found = after.complete ? await changesSince(this.#ledger, known, after, (loss) => unread.push(loss)) : [];
    const changes = found.length === 0 ? found : this.#withoutOthers(found);
    this.#book(owners, changes);
    for (const [, job] of owners) {
      for (const { path } of changes) job.changed.add(path);
      for (const { path, why } of [...notUndoable(changes), ...unread]) job.losses.set(path, why);
      for (const folder of made) job.outputs.add(folder);
      if (!after.complete) job.losses.set(this.#ledger.root, TOO_MANY);
    }
    // `before` already includes Haft's own changes during this scan. They win.
    this.#before = absorbed(this.#ledger, this.#before ?? known, after.complete ? found : [], after);
    this.#lastLook = { at: performance.now(), took: performance.now() - at, date };
  }

  /** Ignored folders in which an entry was created or removed since the last scan. */
  async #madeAgain(): Promise<readonly string[]> {
    for (const folder of await ignoredFolders(this.#ledger.root))
      if (!this.#outputs.has(folder)) this.#outputs.set(folder, undefined);
    return [...this.#outputs].flatMap(([folder, then]) => {
      const now = statOf(folder)?.ctimeNs;
      this.#outputs.set(folder, now);
      return now === then ? [] : [folder];
    });
  }

  /** Leaves out changes of other Haft processes (such as an undo on the command line). They are already in the journal. */
  #withoutOthers(changes: readonly Change[]): readonly Change[] {
    const others = this.#ledger
      .history()
      .entries.filter(
        ({ writer, state, at }) => writer !== this.#ledger.writer && state === "done" && at >= this.#lastLook.date,
      )
      .flatMap((entry) => entry.changes);
    return changes.filter(({ path, after }) => !others.some((one) => one.path === path && same(one.after, after)));
  }

  #book(owners: readonly (readonly [string, Watched])[], changes: readonly Change[]): void {
    const owner = owners.at(-1)?.[1].call;
    if (changes.length === 0 || !owner) return;
    const { id: call, session, tool, turn } = owner;
    const names = owners.map(([id]) => id);
    // All changes have already happened. If this process is killed here, the intent's changes count as done.
    const id = this.#ledger.intend({ kind: "write", session, call, tool, turn, jobs: names, changes });
    this.#ledger.done(id);
  }
}
