import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FileChange, Journal, JournalCall } from "@haft/core/executor";
import { onlyReads } from "@haft/core/policy";
import { fail, type HeldChanges, type RunOutcome } from "@haft/core/tool";
import { isDue, withFileLock } from "@haft/host";
import type { Capture } from "./capture.ts";
import type { CopyCost } from "./copy-cost.ts";
import { withDiskFaults } from "./fault.ts";
import { journaledWrite } from "./file-change.ts";
import type { Frozen } from "./frozen/freeze.ts";
import type { Merged } from "./frozen/merge.ts";
import { curedBy } from "./hints.ts";
import { JournalJobs } from "./job/journal-jobs.ts";
import type { JobWatch } from "./job/watch.ts";
import { type Ledger, type LedgerOptions, openLedger } from "./ledger.ts";
import { recover } from "./recover.ts";
import { type Entry, type Held, type History, newId } from "./store/record.ts";
import type { OnRecovered } from "./store/recovered.ts";
import type { Moment, PastState } from "./undo/past.ts";
import type { Undone, UndoOptions } from "./undo/perform.ts";
import type { Plan } from "./undo/plan.ts";
import type { Preview } from "./undo/preview.ts";
import type { UndoScope } from "./undo/select.ts";
import type { HeldContent } from "./view/held.ts";
import { heldChanges } from "./view/held-changes.ts";
import type { CaptureTier } from "./view/tier.ts";

/** Location of the journal, and whether it captures commands. */
export interface JournalOptions extends LedgerOptions {
  /** Captures the changes of commands. Without it, commands only run. */
  readonly capture?: Capture;
  /** Called when unfinished work of a killed process has been finished. */
  readonly onRecovered?: OnRecovered;
}

/** The journal of one workspace, for all of its sessions. */
export interface HostJournal extends Journal {
  readonly jobs: JobWatch;
  history(): History;
  /** File changes of a session or one call, the oldest first, with diffs where both sides are known. */
  changesOf(session: string, call?: string): Promise<readonly EntryChanges[]>;
  /** The paths that a session changes, as they were right after one of its calls. */
  pastStates(moment: Moment): Promise<readonly PastState[]>;
  /** The content of a file at such a moment, while it is kept. */
  pastContent(state: PastState): Promise<Uint8Array | undefined>;
  /** The plan of an undo. Changes nothing. */
  planUndo(scope?: UndoScope): Promise<Plan>;
  planRedo(scope?: UndoScope): Promise<Plan>;
  /** A plan as unified diffs. */
  preview(plan: Plan): Promise<readonly Preview[]>;
  /** @throws HaftError `conflict` when others have changed a path since; nothing is changed then. */
  undo(options?: UndoOptions): Promise<Undone>;
  /** Redoes the last undo, or applies a call's held changes. */
  redo(options?: UndoOptions): Promise<Undone>;
  /** Why commands cannot be held in a view here; `undefined` when they can. */
  whyNoView(): string | undefined;
  /** How commands are captured here. */
  tier(): CaptureTier;
  /** The cost of the copy that tiers without views keep; `undefined` if it has no place. */
  copyCost(): Promise<CopyCost | undefined>;
  /** Held changes of one session, for its tools. `additional`: folders outside the workspace into which links may point. */
  heldOf(session: string, additional: () => readonly string[]): HeldChanges;
  /**
   * A frozen copy of the workspace in which the agent of a call works.
   *
   * @throws HaftError `tool_unavailable` if the workspace cannot be frozen.
   */
  freeze(call: JournalCall): Promise<Frozen>;
  /** Why there is no frozen copy here; `undefined` when there is. */
  whyNoFreeze(): Promise<string | undefined>;
  /** Gives a copy files of its own in place of hard links, before a program writes there without a view. */
  separate(frozen: Frozen): Promise<void>;
  /** Brings the changes of a copy back into the workspace as one entry, and removes the copy. */
  merge(frozen: Frozen, call: JournalCall): Promise<Merged>;
  /** All held changes, including those of killed processes. */
  held(): Promise<readonly Held[]>;
  /** The held changes with this id. Changes nothing. */
  showHeld(id: string): Promise<HeldContent>;
  /** Applies held changes. `digest`: only if they are still those. @throws HaftError `conflict` when they are no longer the same. */
  commitHeld(id: string, options?: { readonly force?: boolean; readonly digest?: string }): Promise<Undone>;
  /** Discards held changes. */
  discardHeld(id: string): Promise<Held>;
  /** The hash of the last line of its records. */
  head(): string | undefined;
  /** Path of its records. */
  readonly path: string;
  close(): Promise<void>;
}

/** An entry with its changes. */
export interface EntryChanges {
  readonly entry: Entry;
  readonly previews: readonly Preview[];
}

const NO_CAPTURE = "Commands are not recorded here.";

/** Opens the journal in a folder. It first finishes the unfinished work of killed processes. */
export const openJournal = (options: JournalOptions): HostJournal => new WorkspaceJournal(options);

/** Loads undo, views and copies at their first use. */
class WorkspaceJournal implements HostJournal {
  readonly path: string;
  readonly jobs: JobWatch;
  readonly #options: JournalOptions;
  readonly #ledger: Ledger;
  #ready: Promise<void> | undefined;
  /** Calls whose writes currently belong together, with the name of their group. */
  readonly #belonging = new Map<JournalCall, string>();

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#ledger = openLedger(options);
    this.path = join(options.folder, "journal.jsonl");
    const freezer = () => import("./frozen/freeze.ts");
    this.jobs = new JournalJobs({
      ledger: this.#ledger,
      recovered: () => this.#recovered(),
      mountsAs: () => options.capture?.mountsAs(this.#ledger),
      // Its programs see no view, so it has no links to files of the workspace.
      freeze: (call) => this.#settled(async () => (await freezer()).freeze(this.#ledger, call)),
      drop: async (frozen) => (await freezer()).dropFrozen(frozen),
      merge: (frozen, call) => this.merge(frozen, call),
    });
  }

  #recovered(): Promise<void> {
    this.#ready ??= this.#recover();
    return this.#ready;
  }

  #recover(): Promise<void> {
    return recover(this.#ledger, this.#options.onRecovered);
  }

  /** Carries out one plan before the next is made, because several terminals may undo at once. */
  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const { folder } = this.#options;
    return withDiskFaults(this.#ledger, () => {
      // Without a journal, there is nothing to wait for, and no folder is created.
      const turn = existsSync(folder) ? join(folder, "turn") : undefined;
      return withFileLock(turn, work, { forgottenMs: Number.POSITIVE_INFINITY });
    });
  }

  /** In order, after all unfinished work and all changes of jobs. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#inOrder(async () => {
      await this.#recovered();
      await this.jobs.look();
      return work();
    });
  }

  #settled<T>(work: () => Promise<T>): Promise<T> {
    return withDiskFaults(this.#ledger, async () => {
      await this.#recovered();
      return work();
    });
  }

  /** Other processes may have died since the last recovery. */
  #planned(plan: (undo: typeof import("./undo/perform.ts")) => Plan): Promise<Plan> {
    return withDiskFaults(this.#ledger, async () => {
      await this.#recover();
      return plan(await import("./undo/perform.ts"));
    });
  }

  async change<T>(call: JournalCall, change: FileChange, act: () => Promise<T>): Promise<T> {
    await this.#recovered();
    await this.jobs.look(change.path);
    return journaledWrite(this.#ledger, call, change, act, this.#belonging.get(call));
  }

  async together<T>(call: JournalCall, act: () => Promise<T>): Promise<T> {
    const name = newId();
    this.#belonging.set(call, name);
    try {
      return await act();
    } finally {
      this.#belonging.delete(call);
      this.#ledger.conclude(name);
    }
  }

  async command(...[call, request, run, review]: Parameters<Journal["command"]>): Promise<RunOutcome> {
    const { capture } = this.#options;
    if (!capture && review) fail("sandbox_unavailable", NO_CAPTURE, "Create the journal with a capture.");
    if (!capture) return run(request);
    return withDiskFaults(this.#ledger, async () => {
      await this.#recovered();
      if (!onlyReads(request.bound)) await this.jobs.look();
      return capture.run(this.#ledger, call, request, run, review);
    });
  }

  whyNoView(): string | undefined {
    const { capture } = this.#options;
    return capture ? capture.whyNoView(this.#ledger) : NO_CAPTURE;
  }

  tier(): CaptureTier {
    return this.#options.capture?.tier(this.#ledger) ?? "direct";
  }

  async copyCost(): Promise<CopyCost | undefined> {
    return (await import("./copy-cost.ts")).copyCost(this.#ledger);
  }

  heldOf(session: string, additional: () => readonly string[]): HeldChanges {
    return heldChanges({
      ...{ ledger: this.#ledger, session, additional },
      settled: (work) => this.#settled(work),
      inTurn: (work) => this.#inTurn(work),
    });
  }

  freeze(call: JournalCall): Promise<Frozen> {
    return this.#settled(async () => {
      const { freeze } = await import("./frozen/freeze.ts");
      return freeze(this.#ledger, call, { links: this.tier() === "view" });
    });
  }

  async separate(frozen: Frozen): Promise<void> {
    const { unlinkCopy } = await import("./frozen/freeze.ts");
    await unlinkCopy(frozen, this.#options.root);
  }

  async whyNoFreeze(): Promise<string | undefined> {
    return (await import("./frozen/freeze.ts")).whyNoFreeze(this.#ledger);
  }

  merge(frozen: Frozen, call: JournalCall): Promise<Merged> {
    return this.#inTurn(async () => (await import("./frozen/merge.ts")).mergeFrozen(this.#ledger, frozen, call));
  }

  held(): Promise<readonly Held[]> {
    return this.#settled(async () => this.#ledger.history().held);
  }

  showHeld(id: string): Promise<HeldContent> {
    return this.#settled(async () => {
      const held = heldNamed(this.#ledger.history(), id);
      return (await import("./view/held.ts")).showHeld(this.#ledger, held);
    });
  }

  commitHeld(id: string, options: { readonly force?: boolean; readonly digest?: string } = {}): Promise<Undone> {
    return this.#inTurn(async () => {
      const held = heldNamed(this.#ledger.history(), id);
      return (await import("./view/held.ts")).applyHeld(this.#ledger, held, options);
    });
  }

  discardHeld(id: string): Promise<Held> {
    return this.#inOrder(async () => {
      await this.#recovered();
      const held = heldNamed(this.#ledger.history(), id);
      (await import("./view/held.ts")).discardHeld(this.#ledger, held);
      return held;
    });
  }

  history(): History {
    return this.#ledger.history();
  }

  async changesOf(session: string, call?: string): Promise<readonly EntryChanges[]> {
    const { belongs } = await import("./undo/select.ts");
    const { previewOfEntry } = await import("./undo/preview.ts");
    const own = this.history().entries.filter(
      (entry) => entry.session === session && (call === undefined || belongs(entry.call, call)),
    );
    const done = own.filter(({ state }) => state === "done");
    return Promise.all(done.map(async (entry) => ({ entry, previews: await previewOfEntry(this.#ledger, entry) })));
  }

  async pastStates(moment: Moment): Promise<readonly PastState[]> {
    return (await import("./undo/past.ts")).pastStates(this.history(), moment);
  }

  async pastContent(state: PastState): Promise<Uint8Array | undefined> {
    return (await import("./undo/past.ts")).pastContent(this.#ledger, state);
  }

  planUndo(scope: UndoScope = {}): Promise<Plan> {
    return this.#planned(({ planUndo }) => planUndo(this.#ledger, scope));
  }

  planRedo(scope: UndoScope = {}): Promise<Plan> {
    return this.#planned(({ planRedo }) => planRedo(this.#ledger, scope));
  }

  async preview(plan: Plan): Promise<readonly Preview[]> {
    return (await import("./undo/preview.ts")).previewOf(this.#ledger, plan);
  }

  undo(options: UndoOptions = {}): Promise<Undone> {
    return this.#inOrder(async () => {
      await this.#recover();
      await this.jobs.look();
      const { carryOut, planUndo } = await import("./undo/perform.ts");
      return carryOut(this.#ledger, planUndo(this.#ledger, options), options);
    });
  }

  redo(options: UndoOptions = {}): Promise<Undone> {
    return this.#inOrder(async () => {
      await this.#recover();
      await this.jobs.look();
      const held = heldByCall(this.history(), options);
      if (held) return (await import("./view/held.ts")).applyHeld(this.#ledger, held, options);
      const { carryOut, planRedo } = await import("./undo/perform.ts");
      return carryOut(this.#ledger, planRedo(this.#ledger, options), options);
    });
  }

  head(): string | undefined {
    return this.#ledger.head();
  }

  async close(): Promise<void> {
    const { folder } = this.#options;
    // Without new held changes nothing else would tidy the old ones.
    if (existsSync(folder) && isDue(join(folder, "held-tidied")) && this.history().held.length > 0)
      (await import("./view/held.ts")).tidyHeld(this.#ledger, "");
    await this.#ledger.close(async (annex) => (await import("./view/sweep-annex.ts")).sweepAnnex(annex));
  }
}

/** Finds held changes by their id, or by a unique prefix of it. */
function heldNamed({ held }: History, id: string): Held {
  const found = held.filter((one) => one.id === id || (id.length >= 4 && one.id.startsWith(id)));
  const [only] = found;
  if (only && found.length === 1) return only;
  return fail(
    "validation_failed",
    only ? `Several held changes begin with "${id}".` : `There are no held changes "${id}".`,
    "Give an id, or a unique beginning of one.",
    curedBy("list_held"),
  );
}

/** Held changes are applied only when their call is named. */
function heldByCall({ held }: History, { call, session }: UndoScope) {
  if (call === undefined) return undefined;
  const found = held.filter((one) => one.call === call && (session === undefined || one.session === session));
  if (found.length > 1)
    fail(
      "validation_failed",
      `Several sessions have held changes of a call "${call}".`,
      "Name the session.",
      curedBy("name_session"),
    );
  return found[0];
}
