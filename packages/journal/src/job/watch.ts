import type { JobJournal, JournalCall } from "@haft/core/executor";
import { reasonOf } from "../apply/reason.ts";
import { type Before, changesSince, lookBefore, scanAll } from "../direct/before.ts";
import { ignoredFolders } from "../direct/git.ts";
import { same, statOf } from "../image/image.ts";
import { traceOf } from "../image/scan.ts";
import type { Ledger } from "../ledger.ts";
import { onlyReads } from "../needs-view.ts";
import { lossesIn } from "../store/loss.ts";
import type { Change } from "../store/record.ts";
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
const TOO_MANY = "There are too many files to look at all of them.";

/**
 * Jobs run in the workspace itself, beside people, editors and Haft's own calls. The workspace is scanned when the
 * first job starts, with copies of small files. It is scanned again at each query, before each of Haft's own changes,
 * and at each end. Differences happened during the jobs, but anybody may have made them. Folders that git ignores are
 * not scanned: their programs can make them again. A served job needs no scan, because it can change only its output
 * folders.
 */
export function watchJobs(ledger: Ledger): JobWatch {
  const jobs = new Map<string, Watched>();
  const served = new Map<string, Served>();
  let before: Before | undefined;
  /** Skipped folders with the time of their last change: all that were ever ignored. */
  let outputs = new Map<string, bigint | undefined>();
  let starting = 0;
  let lastLook = { at: 0, took: 0, date: "" };
  let turn: Promise<void> = Promise.resolve();

  const running = () => [...jobs].filter(([, { isOver }]) => !isOver);
  ledger.onDone((changes) => {
    if (before) before = absorbed(ledger, before, changes);
  });

  /** Runs one scan at a time. A failed scan (a full disk) is reported and does not stop later ones. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    turn = turn.then(work).catch((thrown: unknown) => {
      for (const [, job] of running()) job.losses.set(ledger.root, `It could not be looked at: ${reasonOf(thrown)}`);
    });
    return turn;
  }

  async function begin(): Promise<void> {
    if (before) return look();
    const folders = await ignoredFolders(ledger.root);
    outputs = new Map(folders.map((folder) => [folder, statOf(folder)?.ctimeNs]));
    before = await lookBefore(ledger, [ledger.root], (folder) => outputs.has(folder));
    lastLook = { at: performance.now(), took: 0, date: new Date().toISOString() };
  }

  async function look(): Promise<void> {
    const owners = running();
    if (!before || owners.length === 0) return;
    const [at, date] = [performance.now(), new Date().toISOString()];
    const made = await madeAgain();
    const known = before;
    const after = known.scan.complete ? scanAll(ledger, [ledger.root], (folder) => outputs.has(folder)) : known.scan;
    const found = after.complete ? await changesSince(ledger, known, after) : [];
    const changes = found.length === 0 ? found : withoutOthers(found);
    book(owners, changes);
    for (const [, job] of owners) {
      for (const { path } of changes) job.changed.add(path);
      for (const { path, why } of lossesIn(changes)) job.losses.set(path, why);
      for (const folder of made) job.outputs.add(folder);
      if (!after.complete) job.losses.set(ledger.root, TOO_MANY);
    }
    // `before` already includes Haft's own changes during this scan. They win.
    before = absorbed(ledger, before ?? known, after.complete ? found : [], after);
    lastLook = { at: performance.now(), took: performance.now() - at, date };
  }

  /** Ignored folders in which an entry was created or removed since the last scan. */
  async function madeAgain(): Promise<readonly string[]> {
    for (const folder of await ignoredFolders(ledger.root)) if (!outputs.has(folder)) outputs.set(folder, undefined);
    return [...outputs].flatMap(([folder, then]) => {
      const now = statOf(folder)?.ctimeNs;
      outputs.set(folder, now);
      return now === then ? [] : [folder];
    });
  }

  /** Leaves out changes of other Haft processes (such as an undo on the command line). They are already in the journal. */
  function withoutOthers(changes: readonly Change[]): readonly Change[] {
    const others = ledger
      .history()
      .entries.filter(({ writer, state, at }) => writer !== ledger.writer && state === "done" && at >= lastLook.date)
      .flatMap((entry) => entry.changes);
    return changes.filter(({ path, after }) => !others.some((one) => one.path === path && same(one.after, after)));
  }

  function book(owners: readonly (readonly [string, Watched])[], changes: readonly Change[]): void {
    const owner = owners.at(-1)?.[1].call;
    if (changes.length === 0 || !owner) return;
    const { id: call, session, tool, turn } = owner;
    const names = owners.map(([id]) => id);
    // All changes have already happened. If this process is killed here, the intent's changes count as done.
    const id = ledger.intend({ kind: "write", session, call, tool, turn, jobs: names, changes });
    ledger.done(id);
  }

  function ended(id: string): void {
    const job = jobs.get(id);
    if (!job || job.isOver) return;
    void inTurn(look).then(() => {
      job.isOver = true;
      ledger.drop(job.open);
      if (running().length === 0 && starting === 0) before = undefined;
    });
  }

  return {
    async start(call, bound, launch) {
      if (onlyReads(bound)) return launch();
      if (bound.hold) {
        const begun = beginServed(Date.now());
        const state = await launch();
        served.set(state.id, begun(state));
        return state;
      }
      starting++;
      try {
        await inTurn(begin);
        const { id, session, tool, turn } = call;
        const open = ledger.intend({ kind: "command", session, call: id, tool, turn, changes: [] });
        const state = await launch().catch((thrown: unknown) => {
          ledger.drop(open);
          throw thrown;
        });
        const seen = { changed: new Set<string>(), losses: new Map<string, string>(), outputs: new Set<string>() };
        jobs.set(state.id, { call, open, isOver: false, ...seen });
        if (before === undefined || !before.scan.complete) seen.losses.set(ledger.root, TOO_MANY);
        if (state.status === "ended") ended(state.id);
        return state;
      } finally {
        starting--;
        if (running().length === 0 && starting === 0) before = undefined;
      }
    },
    async changesDuring(id) {
      const alone = served.get(id);
      if (alone) return servedWords(ledger.root, alone);
      const job = jobs.get(id);
      if (!job) return undefined;
      const { at, took } = lastLook;
      if (!job.isOver && performance.now() - at > took / SHARE) await inTurn(look);
      else await turn;
      return wordsOf(ledger, job.call.id, job);
    },
    look(path) {
      const isSame = path !== undefined && traceOf(path)?.mark === before?.scan.entries.get(path)?.mark;
      return running().length === 0 || isSame ? turn : inTurn(look);
    },
    ended,
    idle: () => turn.then(() => undefined),
  };
}
