import { HaftError, type RunRequest } from "@haft/core/tool";
import type { HostProcesses, ProcessesOptions } from "@haft/host";
import { createProcesses } from "@haft/host/process";
import {
  type ConfinementOptions,
  type Confiner,
  createConfiner,
  unavailable,
  unavailableError,
} from "./confinement.ts";
import { MOVED, MOVED_WORDS } from "./inside/mounted.ts";
import { RELAY_FAILED } from "./inside/shim.ts";
import { brokenSandbox, saidSignalOf, signalOf } from "./outcome.ts";

/** Options for running and confining commands. */
export interface ConfineOptions extends ConfinementOptions {
  /** Shell, environment and capture of the commands themselves. */
  readonly host?: ProcessesOptions;
  /** Called for each command with whether its sandbox was started in advance. */
  readonly onRun?: (request: RunRequest, stood: boolean) => void;
  /** Creates the confiner. Default: bubblewrap, see `createConfiner`. */
  readonly confiner?: (options: ConfinementOptions) => Confiner;
}

/**
 * Runs programs, each confined to its grant. If confinement does not work, it refuses the command with
 * `sandbox_unavailable` and runs nothing. Unlike unconfined programs, processes left running end with their command.
 */
export function confinedProcesses(options: ConfineOptions): HostProcesses {
  const confiner = (options.confiner ?? createConfiner)(options);
  const host = createProcesses(options.host);
  return {
    async run(request) {
      const confinement = await confiner.confine(request);
      const start: HostProcesses["run"] = (asked) => host.run(asked, confinement.wrap);
      try {
        const { said, stood = false, ...raw } = await start(request);
        options.onRun?.(request, stood);
        const outcome = raw.timedOut || raw.cancelled ? signalOf(raw) : saidSignalOf(raw, said);
        if (confinement.network === "proxy" && raw.exitCode === RELAY_FAILED && said !== undefined)
          unavailable(`The proxy to its hosts did not start: ${said}`);
        if (raw.exitCode === MOVED && said === MOVED_WORDS) throw movedError();
        if (!stood && (await brokenSandbox(outcome, start, request))) unavailable(outcome.stderr.trim());
        const denied = await confinement.settle({ ...outcome, isWhole: raw.exitCode !== null });
        if (!denied) return outcome;
        return { ...outcome, denied: denied.text, ...(denied.missing.length > 0 ? { missing: denied.missing } : {}) };
      } catch (thrown) {
        throw HaftError.is(thrown) && thrown.code === "tool_unavailable" ? unavailableError(thrown.message) : thrown;
      } finally {
        await confinement.release();
      }
    },
    async prepare(like) {
      const confinement = await confiner.confine(like);
      await host.prepare(like, confinement.wrap).finally(confinement.release);
    },
    identify: host.identify,
    digest: host.digest,
    contents: host.contents,
    replaced: host.replaced,
    runsBash: host.runsBash,
    async close() {
      await host.close();
      confiner.close();
    },
  };
}

const movedError = (): HaftError =>
  new HaftError({
    code: "conflict",
    message: "The command was not run: another program moved or replaced a folder of the workspace at that moment.",
    hint: "Try again.",
  });
