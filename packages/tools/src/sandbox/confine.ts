import { HaftError, type RunOutcome, type RunRequest } from "@haft/core/tool";
import { createProcesses, type HostProcesses, type ProcessesOptions } from "../host/index.ts";
import { type ConfinementOptions, createConfiner, unavailable, unavailableError } from "./confinement.ts";
import { endGently } from "./members.ts";
import { brokenSandbox, saidSignalOf } from "./outcome.ts";
import { RELAY_FAILED } from "./shim.ts";

export interface ConfineOptions extends ConfinementOptions {
  /** Shell, environment and capture of the commands themselves. */
  readonly host?: Omit<ProcessesOptions, "wrap">;
}

/** Milliseconds between asking and making, when the time is over or a person cancels. */
const GRACE_TIMEOUT_MS = 2000;
const GRACE_CANCEL_MS = 500;

/**
 * Programs, each confined to its grant. Where confinement does not work the command is refused with
 * `sandbox_unavailable` and nothing runs. What differs from unconfined programs: what is left running ends with its
 * command.
 */
export function confinedProcesses(options: ConfineOptions): HostProcesses {
  const confiner = createConfiner(options);
  const host = createProcesses(options.host);
  return {
    async run(request) {
      const confinement = await confiner.confine(request);
      const start: HostProcesses["run"] = (asked) => host.run(asked, confinement.wrap);
      try {
        const { said, ...raw } = await runWithin(start, request, confinement.mark);
        const outcome = saidSignalOf(raw, said);
        if (confinement.network === "proxy" && raw.exitCode === RELAY_FAILED && said !== undefined)
          unavailable(`The way to its hosts could not be opened: ${said}`);
        if (await brokenSandbox(outcome, start, request)) unavailable(outcome.stderr.trim());
        const denied = await confinement.settle(outcome);
        if (!denied) return outcome;
        return { ...outcome, denied: denied.text, ...(denied.missing.length > 0 ? { missing: denied.missing } : {}) };
      } catch (thrown) {
        throw HaftError.is(thrown) && thrown.code === "tool_unavailable" ? unavailableError(thrown.message) : thrown;
      } finally {
        await confinement.release();
      }
    },
    identify: (place) => host.identify(place),
    async close() {
      await host.close();
      confiner.close();
    },
  };
}

/** Time and cancelling are kept here: signals must reach the programs inside first, and bwrap last. */
async function runWithin(start: HostProcesses["run"], request: RunRequest, mark: string) {
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
    const outcome = await start({ ...rest, signal: stop.signal });
    const isCancelled: RunOutcome["cancelled"] = why === "cancel" || (why === undefined && outcome.cancelled);
    return { ...outcome, timedOut: why === "timeout", cancelled: isCancelled };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}
