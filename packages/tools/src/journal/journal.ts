import type { Journal } from "@haft/core/executor";
import { fail } from "@haft/core/tool";
import type { Capture } from "./capture.ts";
import { journaledWrite } from "./file-change.ts";
import { type LedgerOptions, openLedger } from "./ledger.ts";
import { recover } from "./recover.ts";
import type { History } from "./store/record.ts";
import { carryOut, planRedo, planUndo, type Undone, type UndoOptions } from "./undo/perform.ts";
import type { Plan } from "./undo/plan.ts";
import { type Preview, previewOf } from "./undo/preview.ts";
import type { UndoScope } from "./undo/select.ts";
import { applyHeld } from "./view/held.ts";

export interface JournalOptions extends LedgerOptions {
  /** Keeps what commands change. Without it they are only run. */
  readonly capture?: Capture;
}

/** The journal of one workspace, for all of its sessions. */
export interface HostJournal extends Journal {
  history(): History;
  /** What would be undone. Changes nothing. */
  planUndo(scope?: UndoScope): Promise<Plan>;
  planRedo(scope?: UndoScope): Promise<Plan>;
  /** A plan as unified diffs. */
  preview(plan: Plan): Promise<readonly Preview[]>;
  /** @throws HaftError `conflict` when others have changed a path since; nothing is changed then. */
  undo(options?: UndoOptions): Promise<Undone>;
  /** Does again what was undone last, or applies changes of a call that were held back. */
  redo(options?: UndoOptions): Promise<Undone>;
  close(): void;
}

/** Opens the journal in a folder. Work that a killed process left unfinished is finished before anything else is done. */
export function openJournal(options: JournalOptions): HostJournal {
  const ledger = openLedger(options);
  let ready: Promise<void> | undefined;
  const recovered = () => {
    ready ??= recover(ledger);
    return ready;
  };
  return {
    async change(call, change, act) {
      await recovered();
      return journaledWrite(ledger, call, change, act);
    },
    async command(call, request, run) {
      if (!options.capture) return run(request);
      await recovered();
      return options.capture.run(ledger, call, request, run);
    },
    history: () => ledger.history(),
    planUndo: (scope = {}) => planUndo(ledger, scope),
    planRedo: (scope = {}) => planRedo(ledger, scope),
    preview: (plan) => previewOf(ledger, plan),
    async undo(undoOptions = {}) {
      return carryOut(ledger, await planUndo(ledger, undoOptions), undoOptions);
    },
    async redo(redoOptions = {}) {
      const held = heldOf(ledger.history(), redoOptions);
      if (held) return applyHeld(ledger, held, redoOptions);
      return carryOut(ledger, await planRedo(ledger, redoOptions), redoOptions);
    },
    close: () => ledger.close(),
  };
}

/** Held changes are only applied when their call is named. */
function heldOf({ held }: History, { call, session }: UndoScope) {
  if (call === undefined) return undefined;
  const found = held.filter((one) => one.call === call && (session === undefined || one.session === session));
  if (found.length > 1)
    fail("validation_failed", `Several sessions held back changes of a call "${call}".`, "Name one with --session.");
  return found[0];
}
