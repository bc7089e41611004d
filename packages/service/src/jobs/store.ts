import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onlyReads } from "@haft/core/policy";
import { type Bound, fail, type JobRequest, type JobState, type Jobs, type RunRequest } from "@haft/core/tool";
import { type EnvironmentOptions, environmentOf, type Spawn } from "@haft/host";
import {
  checkGranted,
  createPipeStore,
  createWatchdog,
  endFamily,
  findShell,
  lastingCommand,
  JOB_MARK as MARK,
  type Shell,
  signalGroup,
} from "@haft/host/process";
import type { Fenced } from "@haft/sandbox";
import type { Job } from "./job.ts";
import type { TerminalSize } from "./terminal.ts";

/** How jobs are started and confined, and where their output is kept. */
export interface JobsOptions {
  /** Folder for output, one file for each job. Without it, only the latest output is kept, in memory. */
  readonly folder?: string;
  /** Absolute path of the shell. Default: bash, else sh. */
  readonly shell?: string;
  readonly environment?: EnvironmentOptions;
  /** The environment of jobs that only read: they run without asking and show what they find. Default: the same as for other jobs. */
  readonly readerEnvironment?: EnvironmentOptions;
  /** Puts a program into the fence of its grant; `undefined` runs it as it is. */
  readonly fence?: (command: Spawn, request: JobRequest) => Promise<Fenced | undefined>;
  /** `fence` serves a job whose grant says `hold`, or refuses it. */
  readonly servesHeld?: true;
  /** The size of terminals for jobs that want one. Default 120 by 30. */
  readonly terminal?: Partial<TerminalSize>;
  /** Most bytes of a job's output in its file. Default 64 MB. */
  readonly fileBytes?: number;
  /** Most jobs that run at the same time. Default 64. */
  readonly maxRunning?: number;
  /** Called at the end of every job. */
  readonly onEnded?: (id: string) => void;
}

/** The background jobs of one session. */
export interface JobStore extends Jobs {
  /** Prepares for processes that a foreground command may leave running. */
  keepLeftovers(request: RunRequest): LeftoverKeeper;
  /** Jobs that ended since the last call, except those whose end another call has already reported. */
  finished(): readonly JobState[];
  /** Ends all jobs and everything that they started. */
  close(): Promise<void>;
}

/** Recognizes a command's leftovers by their environment. */
interface LeftoverKeeper {
  /** Variables to add to the command's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes a job of the leftovers of an ended command; `end` ends them instead. */
  adopt(how: { readonly end: boolean }): Promise<JobState | undefined>;
}

const FILE_BYTES = 64 * 1024 * 1024;
const MAX_RUNNING = 64;
/** Most ended jobs that are remembered with their output. */
const MAX_ENDED = 50;
/** Milliseconds between asking processes to end and killing them, at the end of the session. */
const CLOSE_GRACE_MS = 500;

/** Background jobs on this machine. Starts nothing before the first job. */
export function createJobs(options: JobsOptions = {}): JobStore {
  const { folder, maxRunning = MAX_RUNNING } = options;
  const family = randomUUID();
  const table = createTable(options.onEnded);
  const launcher = createLauncher(options);
  const watchdog = createWatchdog(`${MARK}=${family}.`);
  let count = 0;
  let minded = 0;
  let starting = 0;
  let isClosed = false;

  function nextId(): string {
    // A resumed session has output files of earlier jobs.
    do count++;
    while (folder !== undefined && existsSync(join(folder, `j${count}.log`)));
    return `j${count}`;
  }

  async function start(request: JobRequest): Promise<JobState> {
    if (isClosed)
      fail("tool_unavailable", "The session is over: no background job can be started.", "Start it in a new session.");
    if (request.command.includes("\0"))
      fail("invalid_input", "A command cannot hold a NUL character.", "Remove it from the command.");
    const running = table.all().filter((job) => job.state().status === "running");
    if (running.length + starting >= maxRunning)
      fail(
        "limit_reached",
        `${running.length} background jobs are running, the limit.`,
        `Stop one that is no longer needed: ${namesOf(running)}.`,
      );
    starting++;
    try {
      return await launch(request);
    } finally {
      starting--;
    }
  }

  async function launch(request: JobRequest): Promise<JobState> {
    checkGranted(request, request.bound);
    const id = nextId();
    const job = await launcher.launch(id, `${family}.${id}.`, request, watchdog.arm);
    const { pid } = job.state();
    watchdog.guard(pid);
    return enter(job, () => {
      if (!job.state().left) watchdog.release(pid);
    });
  }

  async function enter(job: Job, onEnded?: () => void): Promise<JobState> {
    table.enter(job, onEnded);
    // The session closed meanwhile and did not see this job.
    if (isClosed) await job.stop("stop");
    return job.state();
  }

  function keepLeftovers(request: RunRequest): LeftoverKeeper {
    const value = `${family}.left-${++minded}.`;
    const startedAt = Date.now();
    return {
      env: { [MARK]: value },
      async adopt({ end }) {
        const { adoptJob } = await import("./adopt.ts");
        const { OutputLog } = await import("./output-log.ts");
        const log = new OutputLog(undefined);
        log.note("[A foreground command left this running. Its output is not recorded.]");
        const mark = `${MARK}=${value}`;
        const job = await adoptJob({ id: `j${count + 1}`, mark, startedAt, log }, request);
        if (!job) return undefined;
        if (end) return void (await job.stop("stop"));
        watchdog.arm();
        count++;
        return enter(job);
      },
    };
  }

  async function close(): Promise<void> {
    isClosed = true;
    const own = () => table.all().filter((job) => job.state().status === "running" || job.state().left);
    for (const job of own()) signalGroup({ id: job.state().pid }, "SIGTERM");
    // Ends all in one scan, including orphans of jobs that ended long ago. After that, ends processes that hide their mark.
    if (count + minded > 0)
      await endFamily(() => ({ leader: 0, mark: `${MARK}=${family}.`, isLed: false }), CLOSE_GRACE_MS);
    await Promise.all(own().map((job) => job.stop("stop")));
    watchdog.close();
    launcher.close();
  }

  return { ...(options.servesHeld ? { servesHeld: true } : {}), start, keepLeftovers, ...table.face, close };
}

/** The known jobs, running or ended, and the ends that nobody has been told yet. */
interface Table {
  enter(job: Job, onEnded?: () => void): void;
  all(): readonly Job[];
  /** The methods that take a job's id. */
  readonly face: Pick<JobStore, "find" | "list" | "wait" | "output" | "write" | "stop" | "remove" | "finished">;
}

function createTable(onAnyEnd: JobsOptions["onEnded"]): Table {
  const jobs = new Map<string, Job>();
  const untold = new Set<string>();
  const all = (): Job[] => [...jobs.values()];

  function get(id: string): Job {
    const job = jobs.get(id);
    if (job) return job;
    const known = all();
    const hint =
      known.length === 0 ? "No background job has been started in this session." : `There are: ${namesOf(known)}.`;
    return fail("invalid_input", `There is no background job "${id}".`, hint, { ids: known.map((one) => one.id) });
  }

  /** This answer tells the caller of the end, so nobody needs to report it again. */
  function told(job: Job): JobState {
    const state = job.state();
    if (state.status === "ended") untold.delete(job.id);
    return state;
  }

  return {
    enter(job, onEnded) {
      const { id } = job;
      jobs.set(id, job);
      void job.ended.then(() => {
        onEnded?.();
        if (jobs.has(id)) untold.add(id);
        onAnyEnd?.(id);
        forgetOldest(jobs);
      });
    },
    all,
    face: {
      find: (id) => jobs.get(id)?.state(),
      list: () => all().map((job) => job.state()),
      async wait(id, { timeoutMs, signal }) {
        const job = get(id);
        const over = new AbortController();
        const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
        await Promise.race([job.ended, wait(timeoutMs, undefined, { signal: stop }).catch(() => {})]);
        over.abort();
        return told(job);
      },
      async output(id, window) {
        const job = get(id);
        const isOver = job.state().status === "ended";
        return job.log.window(window, isOver);
      },
      async write(id, data, { end = false } = {}) {
        return get(id).input.write(data, end);
      },
      async stop(id) {
        const job = get(id);
        await job.stop("stop");
        return told(job);
      },
      async remove(id) {
        const job = get(id);
        await job.stop("stop");
        told(job);
        jobs.delete(id);
        job.log.file?.remove();
      },
      finished() {
        const ended = [...untold].flatMap((id) => jobs.get(id)?.state() ?? []);
        untold.clear();
        return ended;
      },
    },
  };
}

/** Starts programs as jobs: with their shell, fence and environment, and a place for their output. */
function createLauncher(options: JobsOptions) {
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

  return {
    /** `onStart` is called right before the program starts, when everything is ready. A failure leaves nothing behind. */
    async launch(id: string, mark: string, request: JobRequest, onStart: () => void): Promise<Job> {
      const plain = await plainCommand(request, mark);
      const fenced = await options.fence?.(plain, request);
      const { startJob } = await import("./job.ts");
      const { openLogFile } = await import("./log-file.ts");
      const { OutputLog } = await import("./output-log.ts");
      const log = new OutputLog(folder === undefined ? undefined : openLogFile(join(folder, `${id}.log`), fileBytes));
      const [pipe] = (request.hasTerminal ? undefined : await pipes.take(1)) ?? [];
      onStart();
      const parts = {
        ...{ id, command: fenced?.command ?? plain, mark: `${MARK}=${mark}`, log, pipe },
        terminal: { columns: 120, rows: 30, ...options.terminal },
        ...{ isOpaque: request.hasTerminal === true || isOpaque(request.bound), ...(fenced ? { fenced } : {}) },
      };
      return startJob(parts, request).catch(async (thrown) => {
        await fenced?.release();
        pipe?.reader.destroy();
        await log.file?.close();
        log.file?.remove();
        throw thrown;
      });
    },
    close: () => pipes.close(),
  };
}

/** Whether the effects of a job are partly or wholly unknown. Without a grant, all of them are. */
const isOpaque = (bound: Bound | undefined): boolean =>
  bound?.effects.some((effect) => effect.do === "unknown" || (effect.do === "run" && effect.opaque === true)) ?? true;

const namesOf = (jobs: readonly Job[]): string =>
  jobs.map(({ id, state }) => `${id} (${state().status}: ${shorten(state().command)})`).join(", ");

const shorten = (command: string): string => {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
};

/** Files of forgotten jobs stay in the session's folder. */
function forgetOldest(jobs: Map<string, Job>): void {
  const ended = [...jobs.values()].filter((job) => job.state().status === "ended" && !job.state().left);
  for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) jobs.delete(id);
}
