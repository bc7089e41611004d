import type { AsyncLocalStorage } from "node:async_hooks";
import { existsSync } from "node:fs";
import type { JournalCall, Review } from "@haft/core/executor";
import { type Bound, display, fail, isWithin, type RunOutcome, type RunRequest, type ToolError } from "@haft/core/tool";
import { type Spawn, withFileLock } from "@haft/host";
import { signalOf } from "@haft/sandbox/facts";
import { reasonOf } from "./apply/reason.ts";
import { type Base, openBase } from "./base/base.ts";
import { extract } from "./base/extract.ts";
import { runDirect } from "./direct/run.ts";
import type { Ledger } from "./ledger.ts";
import { hasMounts, usesOutsideDaemon } from "./needs-view.ts";
import { lateFault, notesOf, withNotes } from "./notes.ts";
import { JOURNAL_BYTES } from "./store/collect.ts";
import { baseIn } from "./store/folder.ts";
import { holdView } from "./view/commit.ts";
import { discardView } from "./view/discard.ts";
import { finishView } from "./view/finish-view.ts";
import { tidyHeld } from "./view/held.ts";
import { isClone, markOf } from "./view/mount.ts";
import { dropMountPoints, inView, removeView, type Viewing } from "./view/run-in-view.ts";
import { upperOf } from "./view/supply.ts";
import type { ViewTier } from "./view/tier.ts";

/** Starts a program and waits for it. */
export type Run = (request: RunRequest) => Promise<RunOutcome>;

/** A command that runs in a view, and what puts a program into that view. */
export interface Running {
  readonly viewing: Viewing;
  wrap(command: Spawn): Spawn;
}

/** A command that may change something. */
interface Captured {
  readonly ledger: Ledger;
  readonly call: JournalCall;
  readonly request: RunRequest;
  readonly run: Run;
  readonly review: Review | undefined;
}

/** How a capture runs its commands. */
interface Ways {
  readonly additional: (() => readonly string[]) | undefined;
  readonly current: AsyncLocalStorage<Running>;
  readonly tier: ViewTier;
  readonly copies: "whole" | "none";
  whyNoView(ledger: Ledger): string | undefined;
  isFenced(bound: Bound | undefined): boolean;
}

/** Runs a command that may change something in a view, and settles what it changed; without a view, in the workspace. */
export async function runCaptured(
  { ledger, call, request, run, review }: Captured,
  { current, tier, isFenced: isFencedFor, additional, copies, whyNoView }: Ways,
): Promise<RunOutcome> {
  const { bound } = request;
  const isOutside = usesOutsideDaemon(bound);
  const variant = isOutside || hasMounts(ledger.root) ? undefined : tier.of(ledger);
  const added = (additional?.() ?? []).filter((folder) => !isWithin(ledger.root, folder));
  const runPlainly = async () => {
    await ledger.beforeDirect?.();
    const plainly = (base?: Base) => runDirect(ledger, call, request, run, [ledger.root, ...added], base);
    return copies === "none" || tier.of(ledger) ? plainly() : runBesideCopy(ledger, plainly);
  };
  if (variant === undefined || ledger.annex === undefined)
    return review ? refuse(isOutside ? OUTSIDE : whyNoView(ledger)) : runPlainly();
  ledger.enter();
  const owner = { ...call, writer: ledger.writer };
  const isFenced = isFencedFor(bound);
  const { annex, root } = ledger;
  const declared = declaredFiles(ledger, bound);
  const viewing: Viewing = { annex, root, variant, owner, isFenced, declared, spares: [] };
  const running: Running = {
    viewing,
    wrap: (command) => inView(viewing, () => current.getStore()?.viewing, command),
  };
  // With a review, added folders are read-only. Otherwise their changes are scanned for, as in a direct run.
  const direct = review || added.length === 0 ? run : (wish: RunRequest) => runDirect(ledger, call, wish, run, added);
  const runInView = () => discardOnFailure(viewing, () => current.run(running, () => direct(request)));
  const outcome = isClone(variant) ? await runInCopy(ledger, viewing, runInView) : await runInView();
  if (outcome === undefined) return review ? refuse("The workspace is too big to be copied.") : runPlainly();
  if (outcome.unapplied) return outcome;
  const { view } = viewing;
  if (view === undefined || !existsSync(markOf(view))) {
    if (view) discardView(view.folder);
    if (outcome.cancelled || outcome.timedOut) return outcome;
    // The mount failed, so the command did not run at all.
    tier.forget(ledger);
    return review ? refuse() : runPlainly();
  }
  dropMountPoints(viewing);
  const finished = { ledger, call, view, additional: added };
  return finish({ ...finished, isFenced, ...(bound ? { bound } : {}) }, isFenced ? outcome : signalOf(outcome), review);
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
  const base = openBase({ folder: baseIn(annex), root, isOwn: ledger.isOwn, shell: ledger.shell });
  return withFileLock(
    `${baseIn(annex)}.lock`,
    async () => {
      const fresh = await base.refresh({ isForCommand: true });
      if (fresh === undefined) return undefined;
      const outcome = withNotes(await run(), notesOf({ ledger, unseen: fresh.missing }));
      const { view } = viewing;
      const unapplied = view && existsSync(markOf(view)) ? extractFrom(base, root, view.folder) : undefined;
      return unapplied ? { ...outcome, unapplied } : outcome;
    },
    { forgottenMs: Number.POSITIVE_INFINITY, patienceMs: COPY_PATIENCE_MS },
  );
}

/** Fails if the command made an entry of the copy immutable. Then the next command gets a new copy. */
function extractFrom(base: Base, root: string, view: string): ToolError | undefined {
  try {
    extract(base, root, view, upperOf(view));
    return undefined;
  } catch (thrown) {
    const { code, path } = thrown as NodeJS.ErrnoException;
    if (code !== "EPERM") throw thrown;
    discardView(view);
    base.discard();
    const name = path === undefined ? "an entry" : display(base.tree, path);
    return {
      code: "permission_denied",
      message: `The command has ended, but its changes were discarded: ${name} cannot be moved out of the copy in which the command ran. The command probably made it immutable (chattr +i).`,
      hint: "Nothing in the workspace was changed. Run the command without that; set such attributes outside Haft.",
    };
  }
}

/**
 * Runs a command in the workspace itself, beside an up-to-date copy with all old contents. Without one if the workspace
 * is too big, or another process uses the copy.
 */
async function runBesideCopy(ledger: Ledger, run: (base?: Base) => Promise<RunOutcome>): Promise<RunOutcome> {
  const { copyPlace: folder, root, isOwn, shell, limit = JOURNAL_BYTES } = ledger;
  if (folder === undefined) return run();
  const base = openBase({ folder, root, isOwn, shell, bytes: limit / 2 });
  let isRunning = false;
  try {
    const locked = { forgottenMs: Number.POSITIVE_INFINITY, patienceMs: 0 };
    return await withFileLock(
      `${folder}.lock`,
      async () => {
        const isThere = (await base.refresh()) !== undefined;
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

async function finish(
  finished: Parameters<typeof finishView>[0],
  outcome: RunOutcome,
  review: Review | undefined,
): Promise<RunOutcome> {
  const { ledger, call, view } = finished;
  const stopped = outcome.timedOut ? "timeout" : outcome.cancelled ? "cancelled" : undefined;
  if (stopped) {
    const held = holdView(ledger, call, view, { reason: stopped });
    tidyHeld(ledger, held);
    return withNotes(outcome, notesOf({ ledger, stopped, held }));
  }
  try {
    return await finishView(finished, outcome, review);
  } catch (thrown) {
    // Nothing is lost when the disk is full or a folder is unreadable. The next process finishes the announced changes.
    const held = holdView(ledger, call, view, { reason: "failed" });
    const failed = { ...outcome, unapplied: lateFault(thrown, ledger) };
    return withNotes(failed, notesOf({ ledger, failure: reasonOf(thrown), held }));
  }
}

const OUTSIDE = "This command changes things through programs outside of it (docker, sudo).";

const refuse = (why = "None could be mounted."): never =>
  fail(
    "sandbox_unavailable",
    `A dry run, or a command on hold, needs a view or copy of the workspace. ${why} Nothing was run.`,
    "Leave out dry_run, or use a mode that asks instead. `haft doctor` says how to get views.",
  );
