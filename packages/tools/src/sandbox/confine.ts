import { randomUUID } from "node:crypto";
import { type Bound, fail, HaftError, type RunOutcome, type RunRequest } from "@haft/core/tool";
import { createProcesses, type HostProcesses, type ProcessesOptions, type Spawn } from "../host/index.ts";
import { watchProtected } from "./appeared.ts";
import { bwrapArgv } from "./bwrap.ts";
import { deniedBy } from "./denied.ts";
import { confinedEnvironment } from "./environment.ts";
import {
  createTreeReader,
  type Fence,
  type FencedWorkspace,
  type FenceRequest,
  guardsOf,
  isOpaque,
  planFence,
} from "./fence/index.ts";
import { endGently, processIds, untilGone } from "./members.ts";
import { brokenSandbox, signalOf } from "./outcome.ts";
import type { TierReport } from "./tier.ts";

export interface ConfineOptions {
  /** What was found on this machine; asked at the first command. */
  readonly probe: () => Promise<TierReport>;
  /** Asked for each command: folders may be added while a session runs. */
  readonly workspace: () => FencedWorkspace;
  /**
   * What a granted connection means. `none`: it is refused, since single hosts cannot be held yet. `host`: the whole
   * network of the machine is open to such a command. Without a granted connection there is no network either way.
   */
  readonly network?: Fence["network"];
  /** The folder of Haft's own state: hidden from programs. */
  readonly state?: string;
  /** Where protected files go that a command made. A folder outside every workspace. */
  readonly quarantine: string;
  readonly tmp?: string;
  readonly extra?: FenceRequest["extra"];
  /** Names of variables that pass the allow-list besides. */
  readonly passEnvironment?: readonly string[];
  /** Shell, environment and capture of the commands themselves. */
  readonly host?: Omit<ProcessesOptions, "wrap">;
}

/** Milliseconds between asking and making, when the time is over or a person cancels. */
const GRACE_TIMEOUT_MS = 2000;
const GRACE_CANCEL_MS = 500;
/** A request without a grant may read what is not private, and nothing else. */
const NOTHING: Bound = { effects: [], holes: [] };

/**
 * Programs, each confined to its grant. Where confinement does not work the command is refused with
 * `sandbox_unavailable` and nothing runs. What differs from unconfined programs: what is left running ends with its
 * command, and a shell that ends with 128 + n before its last line counts as ended by signal n.
 */
export function confinedProcesses(options: ConfineOptions): HostProcesses {
  const trees = createTreeReader();
  const running = new Set<HostProcesses>();
  return {
    async run(request) {
      const bound = request.bound ?? NOTHING;
      const bwrap = bwrapOf(await options.probe());
      const workspace = options.workspace();
      const network = networkOf(bound, options.network);
      const use = bound.effects.some((effect) => effect.do === "write") || isOpaque(bound) ? "write" : "read";
      const { state, tmp, extra } = options;
      const fence = await planFence({
        ...{ bound, workspace, use, network, trees, cwd: request.cwd },
        ...{ ...(state === undefined ? {} : { state }), ...(tmp === undefined ? {} : { tmp }) },
        ...(extra === undefined ? {} : { extra }),
      });
      const guards = guardsOf(bound, workspace.platform);
      const { quarantine } = options;
      const watch = await watchProtected({ roots: fence.writable, guards, trees, quarantine });
      const mark = `HAFT_RUN_${randomUUID()}`;
      const passed = [...(options.passEnvironment ?? []), ...Object.keys(request.env ?? {})];
      const wrap = (plain: Spawn): Spawn => ({
        argv: [bwrap, ...bwrapArgv(fence, { argv: plain.argv, cwd: plain.cwd, mark })],
        cwd: "/",
        env: confinedEnvironment(plain.env, passed),
      });
      const inner = createProcesses({ ...options.host, wrap });
      const before = processIds();
      running.add(inner);
      try {
        const outcome = signalOf(await runWithin(inner, request, mark));
        if (await brokenSandbox(outcome, inner, request)) unavailable(outcome.stderr.trim());
        if (fence.writable.length > 0) await untilGone(mark, before);
        const denied = deniedBy(fence, outcome, await watch.settle());
        return denied === undefined ? outcome : { ...outcome, denied };
      } catch (thrown) {
        throw HaftError.is(thrown) && thrown.code === "tool_unavailable" ? unavailableError(thrown.message) : thrown;
      } finally {
        running.delete(inner);
        await inner.close();
      }
    },
    async close() {
      await Promise.all([...running].map((inner) => inner.close()));
    },
  };
}

/** Time and cancelling are kept here: signals must reach the programs inside first, and bwrap last. */
async function runWithin(inner: HostProcesses, request: RunRequest, mark: string): Promise<RunOutcome> {
  const { timeoutMs, signal, ...rest } = request;
  const stop = new AbortController();
  let why: "timeout" | "cancel" | undefined;
  const end = async (reason: "timeout" | "cancel", graceMs: number): Promise<void> => {
    if (why) return;
    why = reason;
    await endGently(mark, graceMs);
    stop.abort();
  };
  const cancel = () => void end("cancel", GRACE_CANCEL_MS);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end("timeout", GRACE_TIMEOUT_MS), timeoutMs);
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) stop.abort();
  try {
    const outcome = await inner.run({ ...rest, signal: stop.signal });
    return {
      ...outcome,
      timedOut: why === "timeout",
      cancelled: why === "cancel" || (why === undefined && outcome.cancelled),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

function bwrapOf({ bwrap, tiers }: TierReport): string {
  return bwrap ?? unavailable(tiers.find(({ name }) => name === "bwrap")?.reason ?? "");
}

function networkOf({ effects }: Bound, network: Fence["network"] = "none"): Fence["network"] {
  const wanted = effects.find((effect) => effect.do === "connect");
  if (wanted === undefined) return "none";
  if (network === "host") return "host";
  return fail(
    "sandbox_unavailable",
    `The command may connect to ${wanted.host}, but the sandbox cannot open the network for single hosts yet.`,
    'Use WebFetch for reading pages, or let the user set the sandbox\'s network to "host".',
  );
}

const unavailable = (reason: string): never => {
  throw unavailableError(reason);
};

const unavailableError = (reason: string): HaftError =>
  new HaftError({
    code: "sandbox_unavailable",
    message: `The command was not run, since it cannot be confined. ${reason}`.trim(),
    hint: "`haft doctor` tells what is missing. To run commands unconfined, the user has to switch the sandbox off.",
  });
