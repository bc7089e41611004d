import { AsyncLocalStorage } from "node:async_hooks";
import type { JournalCall, Review } from "@haft/core/executor";
import { onlyReads } from "@haft/core/policy";
import type { Bound, JobCopy, RunOutcome, RunRequest } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import type { Ledger } from "./ledger.ts";
import { hasMounts } from "./needs-view.ts";
import type { Run, Running } from "./run-captured.ts";
import { isClone, type Variant } from "./view/mount.ts";
import { type CaptureTier, viewTier } from "./view/tier.ts";

const BY_ITSELF =
  "The workspace is a mount of its own, so no folder beside it can hold the layers of a view. Open a folder inside it as the workspace.";

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
  /** The rights with which a folder can be mounted over the workspace; `undefined`: it cannot. */
  mountsAs(ledger: Ledger): JobCopy["as"] | undefined;
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
  const current = new AsyncLocalStorage<Running>();
  const tier = viewTier(variants);
  const whyNoView = (ledger: Ledger): string | undefined => {
    if (variants?.length === 0) return 'The setting journal.tier is "direct".';
    if (hasMounts(ledger.root)) return "The workspace has a mount in it, which a view would not show.";
    if (ledger.annex === undefined) return BY_ITSELF;
    if (tier.of(ledger) !== undefined) return undefined;
    return "Overlay mounts do not work here: user namespaces are forbidden, or the file system does not support the layers.";
  };
  const fenced = (bound: Bound | undefined) => (typeof isConfined === "function" ? isConfined(bound) : isConfined);
  return {
    around(command) {
      return current.getStore()?.wrap(command) ?? command;
    },
    tier(ledger) {
      const variant = hasMounts(ledger.root) ? undefined : tier.of(ledger);
      return variant === undefined ? "direct" : isClone(variant) ? "clone" : "view";
    },
    mountsAs(ledger) {
      const variant = hasMounts(ledger.root) ? undefined : tier.of(ledger);
      return variant === undefined ? undefined : variant.startsWith("user") ? "user" : "root";
    },
    isViewing: () => current.getStore() !== undefined,
    whyNoView,
    async run(ledger, call, request, run, review) {
      if (onlyReads(request.bound)) return run(request);
      const { runCaptured } = await import("./run-captured.ts");
      return runCaptured(
        { ledger, call, request, run, review },
        { current, tier, isFenced: fenced, additional, copies, whyNoView },
      );
    },
  };
}
