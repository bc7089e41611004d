import { join } from "node:path";
import { onlyReads } from "@haft/core/policy";
import { type Bound, fail, type JobRequest } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import {
  checkGranted,
  createPipeStore,
  createWatchdog,
  endFamily,
  environmentOf,
  findShell,
  lastingCommand,
  JOB_MARK as MARK,
  type Shell,
  signalGroup,
  type Watchdog,
} from "@haft/host/process";
import type { Job } from "./job.ts";
import type { JobsOptions } from "./options.ts";

/** Starts the jobs of one session. */
export interface Launcher {
  /** Ends the jobs if this process dies. */
  readonly watchdog: Watchdog;
  /** @throws HaftError if the request is more than its grant. */
  check(request: JobRequest): void;
  /** Arms the watchdog right before the program starts, when everything is ready. A failure leaves nothing behind. */
  launch(id: string, mark: string, request: JobRequest): Promise<Job>;
  close(): void;
}

const FILE_BYTES = 64 * 1024 * 1024;

/** Milliseconds between asking processes to end and killing them, at the end of the session. */
const CLOSE_GRACE_MS = 500;

/** Ends the groups of jobs, and every process with this mark in its environment. */
export async function endMarked(groups: readonly number[], mark: string): Promise<void> {
  for (const id of groups) signalGroup({ id }, "SIGTERM");
  await endFamily(() => ({ leader: 0, mark, isLed: false }), CLOSE_GRACE_MS);
}

/** Starts programs as jobs: with their shell, fence and environment, and a place for their output. */
export function createLauncher(options: JobsOptions, family: string): Launcher {
  const watchdog = createWatchdog(`${MARK}=${family}.`);
  const { folder, fileBytes = FILE_BYTES } = options;
  const pipes = createPipeStore();
  let shell: Promise<Shell> | undefined;

  async function plainCommand(request: JobRequest, mark: string): Promise<Spawn> {
    shell ??= findShell(options.shell);
    const argv = lastingCommand(await shell, request.command);
    const isReader = request.bound !== undefined && onlyReads(request.bound);
    const environment = (isReader ? options.readerEnvironment : undefined) ?? options.environment;
    return { argv, cwd: request.cwd, env: { ...environmentOf(environment, request.env), [MARK]: mark } };
  }

  const placed = async (command: Spawn, { copy }: JobRequest): Promise<Spawn> => {
    if (copy === undefined) return command;
    return options.mount?.(command, copy) ?? fail("tool_unavailable", "No job gets a copy here.", "Leave in_copy out.");
  };

  return {
    watchdog,
    check: (request) => checkGranted(request, request.bound),
    async launch(id, mark, request) {
      const plain = await plainCommand(request, mark);
      const fenced = await options.fence?.(plain, request);
      const command = await placed(fenced?.command ?? plain, request);
      const { startJob } = await import("./job.ts");
      const { openLogFile } = await import("./log-file.ts");
      const { OutputLog } = await import("./output-log.ts");
      const log = new OutputLog(folder === undefined ? undefined : openLogFile(join(folder, `${id}.log`), fileBytes));
      const [pipe] = (request.hasTerminal ? undefined : await pipes.take(["out"])) ?? [];
      watchdog.arm();
      const parts = {
        ...{ id, command, mark: `${MARK}=${mark}`, log, pipe },
        terminal: { columns: 120, rows: 30, ...options.terminal },
        ...{ isOpaque: request.hasTerminal === true || isOpaque(request.bound), ...(fenced ? { fenced } : {}) },
      };
      return startJob(parts, request).catch(async (thrown) => {
        await fenced?.release();
        pipe?.stream.destroy();
        await log.file?.close();
        log.file?.remove();
        throw thrown;
      });
    },
    close() {
      watchdog.close();
      pipes.close();
    },
  };
}

/** Whether the effects of a job are partly or wholly unknown. Without a grant, all of them are. */
const isOpaque = (bound: Bound | undefined): boolean =>
  bound?.effects.some((effect) => effect.do === "unknown" || (effect.do === "run" && effect.opaque === true)) ?? true;
