import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync } from "node:fs";
import type { JournalCall, Review } from "@haft/core/executor";
import { type Bound, fail, isWithin, type RunOutcome, type RunRequest } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import { withFileLock } from "@haft/host";
import { signalOf } from "@haft/sandbox";
import { reasonOf } from "./apply/reason.ts";
import { type Base, openBase } from "./base/base.ts";
import { extract } from "./base/extract.ts";
import { runDirect } from "./direct/run.ts";
import type { Ledger } from "./ledger.ts";
import { hasMounts, onlyReads, usesOutsideDaemon } from "./needs-view.ts";
import { lateFault, notesOf, withNotes } from "./notes.ts";
import { JOURNAL_BYTES } from "./store/collect.ts";
import { holdView } from "./view/commit.ts";
import { discardView } from "./view/discard.ts";
import { tidyHeld } from "./view/held.ts";
import { baseIn, isClone, markOf, type Variant } from "./view/mount.ts";
import { dropMountPoints, inView, removeView, type Viewing } from "./view/run-in-view.ts";
import { settleView } from "./view/settle.ts";
import { upperOf } from "./view/supply.ts";
import { type CaptureTier, viewTier } from "./view/tier.ts";

type Run = (request: RunRequest) => Promise<RunOutcome>;

/** The environment in which commands are captured. */
export interface CaptureOptions {
  /** Whether commands run in a sandbox that ends their leftovers; may depend on a command's grant. Default: no. */
  readonly isConfined?: boolean | ((bound: Bound | undefined) => boolean);
  /** Folders outside the workspace that belong to it. Links may point there, and their changes are kept. */
  readonly additional?: () => readonly string[];
  /** Kinds of views to try. Default: real mounts as root, then a user namespace. Empty: no views. */
  readonly variants?: readonly Variant[];
  /** Whether a machine without views keeps a copy of the workspace, with all old contents. Default: `whole`. */
  readonly copies?: "whole" | "none";
}

/** Runs commands and records their changes, so that these can be undone. */
export interface Capture {
  run(ledger: Ledger, call: JournalCall, request: RunRequest, run: Run, review?: Review): Promise<RunOutcome>;
  /** For `ProcessesOptions.around`: puts the view of the running capture around a program and its sandbox. */
  around(command: Spawn): Spawn;
  /** Whether a program that starts now runs in a view. */
  isViewing(): boolean;
  /** Why commands cannot be held in a view here; `undefined` when they can. */
  whyNoView(ledger: Ledger): string | undefined;
  /** How commands are captured here. */
  tier(ledger: Ledger): CaptureTier;
}

/**
 * A command that may change something runs in a copy-on-write view of the workspace. After its last process has
 * ended, its changes are applied to the workspace, with their before-images in the journal. With a review, they are
 * applied only if it allows them.
 *
 * If views do not work, or the command talks to programs outside the view, it runs in the workspace itself.
 * Then the journal keeps what it can know of the changes. A command with a review does not run in that case.
 */
export function createCapture({
  isConfined = false,
  additional,
  variants,
  copies = "whole",
}: CaptureOptions = {}): Capture {
  // Layers between the capture and the start of the program (the sandbox, the policy's ports) do not know of views. The
  // view bypasses them with the call's async context.
  const current = new AsyncLocalStorage<Viewing>();
  const tier = viewTier(variants);
  const fenced = (bound: Bound | undefined) => (typeof isConfined === "function" ? isConfined(bound) : isConfined);
  const variantFor = (ledger: Ledger, bound: Bound | undefined): Variant | undefined =>
    usesOutsideDaemon(bound) || hasMounts(ledger.root) ? undefined : tier.of(ledger);
  return {
    around(command) {
      const running = current.getStore();
      return running ? inView(running, () => current.getStore(), command) : command;
    },
    tier(ledger) {
      const variant = hasMounts(ledger.root) ? undefined : tier.of(ledger);
      return variant === undefined ? "direct" : isClone(variant) ? "clone" : "view";
    },
    isViewing: () => current.getStore() !== undefined,
    whyNoView(ledger) {
      if (hasMounts(ledger.root)) return "The workspace has a mount in it, which a view would not show.";
      if (ledger.annex === undefined) return "The workspace's file system has no space for the layers of a view.";
      if (tier.of(ledger) !== undefined) return undefined;
      return "Overlay mounts do not work here: user namespaces are forbidden, or the file system does not support the layers.";
    },
    async run(ledger, call, request, run, review) {
      const { bound } = request;
      if (onlyReads(bound)) return run(request);
      const variant = variantFor(ledger, bound);
      const added = (additional?.() ?? []).filter((folder) => !isWithin(ledger.root, folder));
      const runPlainly = async () => {
        await ledger.beforeDirect?.();
        const plainly = (base?: Base) => runDirect(ledger, call, request, run, [ledger.root, ...added], base);
        return copies === "none" || tier.of(ledger) ? plainly() : runBesideCopy(ledger, plainly);
      };
      if (variant === undefined || ledger.annex === undefined) return review ? refuse() : runPlainly();
      ledger.enter();
      const owner = { ...call, writer: ledger.writer };
      const isFenced = fenced(bound);
      const { annex, root, newId } = ledger;
      const declared = declaredFiles(ledger, bound);
      const viewing: Viewing = { annex, root, variant, owner, isFenced, declared, newId, spares: [] };
      // With a review, added folders are read-only. Otherwise their changes are scanned for, as in a direct run.
      const direct =
        review || added.length === 0 ? run : (wish: RunRequest) => runDirect(ledger, call, wish, run, added);
      const runInView = () => discardOnFailure(viewing, () => current.run(viewing, () => direct(request)));
      const outcome = isClone(variant) ? await runInCopy(ledger, viewing, runInView) : await runInView();
      if (outcome === undefined) return review ? refuse() : runPlainly();
      const { view } = viewing;
      if (view === undefined || !existsSync(markOf(view))) {
        if (view) discardView(view.folder);
        if (outcome.cancelled || outcome.timedOut) return outcome;
        // The mount failed, so the command did not run at all.
        tier.forget(ledger);
        return review ? refuse() : runPlainly();
      }
      dropMountPoints(viewing);
      const settling = { ledger, call, view, additional: added };
      return settle(
        { ...settling, isFenced, ...(bound ? { bound } : {}) },
        isFenced ? outcome : signalOf(outcome),
        review,
      );
    },
  };
}

/** Files of the workspace that a command says it writes, by name. */
const declaredFiles = ({ root }: Ledger, bound: Bound | undefined): readonly string[] =>
  (bound?.effects ?? []).flatMap((effect) =>
    effect.do === "write" && !effect.tree && !effect.unread && isWithin(root, effect.path) ? [effect.path] : [],
  );

/** Commands of several processes wait for each other's end, which may take as long as a command. */
const COPY_PATIENCE_MS = 600_000;

/**
 * Runs a command over the copy of the workspace, one at a time, and moves its changes to where a view has them.
 * `undefined`: the workspace is too big to be copied.
 */
function runInCopy(ledger: Ledger, viewing: Viewing, run: () => Promise<RunOutcome>): Promise<RunOutcome | undefined> {
  const { annex, root } = viewing;
  const base = openBase({ folder: baseIn(annex), root, isOwn: ledger.isOwn });
  return withFileLock(
    `${baseIn(annex)}.lock`,
    async () => {
      if (base.refresh({ isForCommand: true }) === undefined) return undefined;
      const outcome = await run();
      const { view } = viewing;
      if (view && existsSync(markOf(view))) extract(base, root, view.folder, upperOf(view.folder));
      return outcome;
    },
    { forgottenMs: Number.POSITIVE_INFINITY, patienceMs: COPY_PATIENCE_MS },
  );
}

/**
 * Runs a command in the workspace itself, beside an up-to-date copy with all old contents. Without one if the workspace
 * is too big, or another process uses the copy.
 */
async function runBesideCopy(ledger: Ledger, run: (base?: Base) => Promise<RunOutcome>): Promise<RunOutcome> {
  const { annex, root, isOwn, limit = JOURNAL_BYTES } = ledger;
  if (annex === undefined) return run();
  const base = openBase({ folder: baseIn(annex), root, isOwn, bytes: limit / 2 });
  let isRunning = false;
  try {
    const locked = { forgottenMs: Number.POSITIVE_INFINITY, patienceMs: 0 };
    return await withFileLock(
      `${baseIn(annex)}.lock`,
      async () => {
        const isThere = base.refresh() !== undefined;
        isRunning = true;
        return run(isThere ? base : undefined);
      },
      locked,
    );
  } catch (thrown) {
    // A full disk, or another process: what git and small copies have must do.
    if (isRunning) throw thrown;
    return run();
  }
}

async function discardOnFailure<R>(viewing: Viewing, run: () => Promise<R>): Promise<R> {
  try {
    return await run();
  } catch (thrown) {
    if (viewing.view) discardView(viewing.view.folder);
    throw thrown;
  } finally {
    for (const spare of viewing.spares) removeView(spare);
  }
}

async function settle(
  settling: Parameters<typeof settleView>[0],
  outcome: RunOutcome,
  review: Review | undefined,
): Promise<RunOutcome> {
  const { ledger, call, view } = settling;
  const stopped = outcome.timedOut ? "timeout" : outcome.cancelled ? "cancelled" : undefined;
  if (stopped) {
    const held = holdView(ledger, call, view, { reason: stopped });
    tidyHeld(ledger, held);
    return withNotes(outcome, notesOf({ ledger, stopped, held }));
  }
  try {
    return await settleView(settling, outcome, review);
  } catch (thrown) {
    // Nothing is lost when the disk is full or a folder is unreadable. The next process finishes the announced changes.
    const held = holdView(ledger, call, view, { reason: "failed" });
    const failed = { ...outcome, unapplied: lateFault(thrown, ledger.root) };
    return withNotes(failed, notesOf({ ledger, failure: reasonOf(thrown), held }));
  }
}

const refuse = (): never =>
  fail(
    "sandbox_unavailable",
    "This command may only run in a view of the workspace, so that its changes can be checked first. No view is available here.",
    "`haft doctor` shows what is missing; in another mode the user can allow the command itself.",
  );
