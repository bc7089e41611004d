import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Journal, JournalCall } from "@haft/core/executor";
import { fail, type HeldChanges } from "@haft/core/tool";
import { withFileLock } from "@haft/host";
import type { Capture } from "./capture.ts";
import { type CopyCost, copyCost } from "./copy-cost.ts";
import { withDiskFaults } from "./fault.ts";
import { journaledWrite } from "./file-change.ts";
import { type Frozen, freeze, unlinkCopy, whyNoFreeze } from "./frozen/freeze.ts";
import { type Merged, mergeFrozen } from "./frozen/merge.ts";
import { curedBy } from "./hints.ts";
import { type JobWatch, watchJobs } from "./job/watch.ts";
import { type LedgerOptions, openLedger } from "./ledger.ts";
import { onlyReads } from "./needs-view.ts";
import { recover } from "./recover.ts";
import type { Entry, Held, History } from "./store/record.ts";
import type { OnRecovered } from "./store/recovered.ts";
import { type Moment, type PastState, pastContent, pastStates } from "./undo/past.ts";
import { carryOut, planRedo, planUndo, type Undone, type UndoOptions } from "./undo/perform.ts";
import type { Plan } from "./undo/plan.ts";
import { type Preview, previewOf, previewOfEntry } from "./undo/preview.ts";
import { belongs, type UndoScope } from "./undo/select.ts";
import { sweepAnnex } from "./view/discard.ts";
import { applyHeld, discardHeld, type HeldContent, showHeld, tidyHeldDaily } from "./view/held.ts";
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
  pastStates(moment: Moment): readonly PastState[];
  /** The content of a file at such a moment, while it is kept. */
  pastContent(state: PastState): Uint8Array | undefined;
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
  copyCost(): CopyCost | undefined;
  /** Held changes of one session, for its tools. `additional`: folders outside the workspace into which links may point. */
  heldOf(session: string, additional: () => readonly string[]): HeldChanges;
  /**
   * A frozen copy of the workspace in which the agent of a call works.
   *
   * @throws HaftError `tool_unavailable` if the workspace cannot be frozen.
   */
  freeze(call: JournalCall): Promise<Frozen>;
  /** Why there is no frozen copy here; `undefined` when there is. */
  whyNoFreeze(): string | undefined;
  /** Gives a copy files of its own in place of hard links, before a program writes there without a view. */
  separate(frozen: Frozen): Promise<void>;
  /** Brings the changes of a copy back into the workspace as one entry, and removes the copy. */
  merge(frozen: Frozen, call: JournalCall): Promise<Merged>;
  /** All held changes, including those of killed processes. */
  held(): Promise<readonly Held[]>;
  /** The held changes with this id. Changes nothing. */
  showHeld(id: string): Promise<HeldContent>;
  /** Applies held changes. @throws HaftError `conflict` when they are no longer the same. */
  commitHeld(id: string, options?: { readonly force?: boolean }): Promise<Undone>;
  /** Discards held changes. */
  discardHeld(id: string): Promise<Held>;
  /** The hash of the last line of its records. */
  head(): string | undefined;
  /** Path of its records. */
  readonly path: string;
  close(): void;
}

/** An entry with its changes. */
export interface EntryChanges {
  readonly entry: Entry;
  readonly previews: readonly Preview[];
}

const NO_CAPTURE = "Commands are not recorded here.";

/** Opens the journal in a folder. It first finishes the unfinished work of killed processes. */
export function openJournal(options: JournalOptions): HostJournal {
  const ledger = openLedger(options);
  const jobs = watchJobs(ledger);
  let ready: Promise<void> | undefined;
  const recovered = () => {
    ready ??= recover(ledger, options.onRecovered);
    return ready;
  };
  /** Carries out one plan before the next is made, because several terminals may undo at once. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> =>
    withDiskFaults(options.folder, () => {
      // Without a journal, there is nothing to wait for, and no folder is created.
      const turn = existsSync(options.folder) ? join(options.folder, "turn") : undefined;
      return withFileLock(turn, work, { forgottenMs: Number.POSITIVE_INFINITY });
    });
  const settled = <T>(work: () => Promise<T>): Promise<T> =>
    withDiskFaults(options.folder, async () => {
      await recovered();
      return work();
    });
  /** Other processes may have died since the last recovery. */
  const planned = (plan: () => Plan): Promise<Plan> =>
    withDiskFaults(options.folder, async () => {
      await recover(ledger, options.onRecovered);
      return plan();
    });
  /** Calls whose writes currently belong together, with the name of their group. */
  const belonging = new Map<JournalCall, string>();
  return {
    jobs: {
      changesDuring: (id) => jobs.changesDuring(id),
      look: (path) => jobs.look(path),
      ended: (id) => jobs.ended(id),
      idle: () => jobs.idle(),
      async start(call, bound, start) {
        await recovered();
        if (!onlyReads(bound)) await ledger.beforeDirect?.();
        return jobs.start(call, bound, start);
      },
    },
    async change(call, change, act) {
      await recovered();
      await jobs.look(change.path);
      return journaledWrite(ledger, call, change, act, belonging.get(call));
    },
    async together(call, act) {
      const name = ledger.newId();
      belonging.set(call, name);
      try {
        return await act();
      } finally {
        belonging.delete(call);
        ledger.conclude(name);
      }
    },
    async command(call, request, run, review) {
      if (!options.capture && review) fail("sandbox_unavailable", NO_CAPTURE, "Create the journal with a capture.");
      if (!options.capture) return run(request);
      const { capture } = options;
      return withDiskFaults(options.folder, async () => {
        await recovered();
        if (!onlyReads(request.bound)) await jobs.look();
        return capture.run(ledger, call, request, run, review);
      });
    },
    whyNoView: () => (options.capture ? options.capture.whyNoView(ledger) : NO_CAPTURE),
    tier: () => options.capture?.tier(ledger) ?? "direct",
    copyCost: () => copyCost(ledger),
    heldOf: (session, additional) =>
      heldChanges({
        ...{ ledger, session, additional },
        settled,
        inTurn: (work) =>
          inOrder(async () => {
            await recovered();
            await jobs.look();
            return work();
          }),
      }),
    freeze: (call) => settled(() => freeze(ledger, call, { links: options.capture?.tier(ledger) === "view" })),
    separate: (frozen) => unlinkCopy(frozen, options.root),
    whyNoFreeze: () => whyNoFreeze(ledger),
    merge: (frozen, call) =>
      inOrder(async () => {
        await recovered();
        await jobs.look();
        return mergeFrozen(ledger, frozen, call);
      }),
    held: () => settled(async () => ledger.history().held),
    showHeld: (id) => settled(async () => showHeld(ledger, heldNamed(ledger.history(), id))),
    async commitHeld(id, { force = false } = {}) {
      return inOrder(async () => {
        await recovered();
        await jobs.look();
        return applyHeld(ledger, heldNamed(ledger.history(), id), { force });
      });
    },
    discardHeld: (id) =>
      inOrder(async () => {
        await recovered();
        const held = heldNamed(ledger.history(), id);
        discardHeld(ledger, held);
        return held;
      }),
    history: () => ledger.history(),
    async changesOf(session, call) {
      const own = ledger
        .history()
        .entries.filter((entry) => entry.session === session && (call === undefined || belongs(entry.call, call)));
      const done = own.filter(({ state }) => state === "done");
      return Promise.all(done.map(async (entry) => ({ entry, previews: await previewOfEntry(ledger, entry) })));
    },
    pastStates: (moment) => pastStates(ledger.history(), moment),
    pastContent: (state) => pastContent(ledger, state),
    planUndo: (scope = {}) => planned(() => planUndo(ledger, scope)),
    planRedo: (scope = {}) => planned(() => planRedo(ledger, scope)),
    preview: (plan) => previewOf(ledger, plan),
    undo: (undoOptions = {}) =>
      inOrder(async () => {
        await recover(ledger, options.onRecovered);
        await jobs.look();
        return carryOut(ledger, planUndo(ledger, undoOptions), undoOptions);
      }),
    redo: (redoOptions = {}) =>
      inOrder(async () => {
        await recover(ledger, options.onRecovered);
        await jobs.look();
        const held = heldByCall(ledger.history(), redoOptions);
        if (held) return applyHeld(ledger, held, redoOptions);
        return carryOut(ledger, planRedo(ledger, redoOptions), redoOptions);
      }),
    head: () => ledger.head(),
    path: join(options.folder, "journal.jsonl"),
    close() {
      tidyHeldDaily(ledger);
      ledger.close(sweepAnnex);
    },
  };
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
