import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalCall } from "@haft/core/executor";
import type { Bound, RunOutcome, RunRequest } from "@haft/core/tool";
import { isWithin } from "@haft/core/tool";
import type { Spawn } from "../host/index.ts";
import { signalOf } from "../sandbox/outcome.ts";
import { reasonOf } from "./apply.ts";
import { runDirect } from "./direct/run.ts";
import type { Ledger } from "./ledger.ts";
import { notesOf, withNotes } from "./notes.ts";
import { commitView, holdView } from "./view/commit.ts";
import { discardView } from "./view/discard.ts";
import { createView, leftMarkOf, markOf, type Variant, type View, viewsIn, withinView } from "./view/mount.ts";
import { viewTier } from "./view/tier.ts";

type Run = (request: RunRequest) => Promise<RunOutcome>;

export interface CaptureOptions {
  /** Commands run in a sandbox that ends what they leave running. */
  readonly isConfined?: boolean;
  /** What may be tried for views. Default: as root real mounts, then a user namespace. Empty: no views. */
  readonly variants?: readonly Variant[];
}

/** Runs commands so that what they change is known afterwards, and can be undone. */
export interface Capture {
  run(ledger: Ledger, call: JournalCall, request: RunRequest, run: Run): Promise<RunOutcome>;
  /** For `ProcessesOptions.around`: puts the view of the running capture around a program and its sandbox. */
  around(command: Spawn): Spawn;
}

/**
 * A command that may change something runs in a copy-on-write view of the workspace; when its last process is gone, its
 * changes are made real with their before-images in the journal. Where views do not work, or the command speaks to
 * programs outside of it, it runs in the workspace itself, and what can be known of its changes is kept.
 */
export function createCapture({ isConfined = false, variants }: CaptureOptions = {}): Capture {
  // Between the capture and the start of the program stand layers that know nothing of views: the sandbox, the policy's
  // ports. The view goes round them with the call.
  const current = new AsyncLocalStorage<View>();
  const tier = viewTier(variants);
  return {
    around(command) {
      const view = current.getStore();
      return view ? withinView(view, command, isConfined) : command;
    },
    async run(ledger, call, request, run) {
      if (onlyReads(request.bound)) return run(request);
      const variant = speaksOutside(request.bound) || hasMounts(ledger.root) ? undefined : tier.of(ledger);
      if (variant === undefined || ledger.annex === undefined) return runDirect(ledger, call, request, run);
      ledger.enter();
      const owner = { ...call, writer: ledger.writer };
      const view = createView(join(viewsIn(ledger.annex), ledger.newId()), ledger.root, variant, owner);
      const outcome = await inView(current, view, request, run);
      if (!existsSync(markOf(view))) {
        discardView(view.folder);
        if (outcome.cancelled || outcome.timedOut) return outcome;
        // The mount failed, so nothing of the command has run.
        tier.forget(ledger);
        return runDirect(ledger, call, request, run);
      }
      return settle(ledger, call, view, signalOf(outcome));
    },
  };
}

async function inView(storage: AsyncLocalStorage<View>, view: View, request: RunRequest, run: Run) {
  try {
    return await storage.run(view, () => run(request));
  } catch (thrown) {
    discardView(view.folder);
    throw thrown;
  }
}

async function settle(ledger: Ledger, call: JournalCall, view: View, outcome: RunOutcome): Promise<RunOutcome> {
  const stopped = outcome.timedOut ? "timeout" : outcome.cancelled ? "cancelled" : undefined;
  if (stopped) {
    holdView(ledger, call, view, stopped, []);
    return withNotes(outcome, notesOf({ ledger, call, stopped }));
  }
  const wasLeft = existsSync(leftMarkOf(view));
  try {
    const committed = await commitView(ledger, call, view);
    return withNotes(outcome, notesOf({ ledger, call, committed, wasLeft, output: outcome.output }));
  } catch (thrown) {
    // Nothing is lost: a full disk, a folder that may not be read. What was announced is finished by the next process.
    holdView(ledger, call, view, "failed", []);
    return withNotes(outcome, notesOf({ ledger, call, failure: reasonOf(thrown) }));
  }
}

/** Proved to change nothing: no view is needed. */
function onlyReads(bound: Bound | undefined): boolean {
  if (!bound || bound.effects.length === 0) return false;
  return bound.effects.every(
    (effect) => effect.do === "read" || effect.do === "state" || (effect.do === "run" && effect.opaque !== true),
  );
}

/** Programs that let others do their work, who do not see the view; or that need rights which it takes away. */
const OUTSIDERS = new Set(
  "docker podman docker-compose podman-compose nerdctl buildah sudo su doas pkexec systemctl systemd-run mount umount".split(
    " ",
  ),
);

const speaksOutside = (bound: Bound | undefined): boolean =>
  bound?.effects.some(
    (effect) =>
      effect.do === "run" &&
      [effect.argv[0] ?? "", ...(effect.wrappers ?? [])].some((name) =>
        OUTSIDERS.has(name.slice(name.lastIndexOf("/") + 1)),
      ),
  ) ?? false;

/** A view shows one file system: what is mounted below the workspace would be missing in it. */
function hasMounts(root: string): boolean {
  try {
    const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    return lines.some((line) => {
      const point = line
        .split(" ")[4]
        ?.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
      return point !== undefined && point !== root && isWithin(root, point);
    });
  } catch {
    return true;
  }
}
