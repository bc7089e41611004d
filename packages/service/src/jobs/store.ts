import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onlyReads } from "@haft/core/policy";
import {
  type Bound,
  fail,
  type JobCopy,
  type JobRequest,
  type JobState,
  type Jobs,
  type RunRequest,
} from "@haft/core/tool";
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
  /** Lets a program see a copy in the place of the workspace. Without it, jobs with a copy are refused. */
  readonly mount?: (command: Spawn, copy: JobCopy) => Promise<Spawn>;
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
export const createJobs = (options: JobsOptions = {}): JobStore => new SessionJobs(options);

/**
 * The known jobs, running or ended, and the ends that nobody has been told yet. Its methods are fields: callers copy a
 * port's methods.
 */
class JobTable {
  readonly #jobs = new Map<string, Job>();
  readonly #untold = new Set<string>();
  readonly #onAnyEnd: JobsOptions["onEnded"];

  constructor(onAnyEnd: JobsOptions["onEnded"]) {
    this.#onAnyEnd = onAnyEnd;
  }

  all(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  enter(job: Job, onEnded?: () => void): void {
    const { id } = job;
    this.#jobs.set(id, job);
    void job.ended.then(() => {
      onEnded?.();
      if (this.#jobs.has(id)) this.#untold.add(id);
      this.#onAnyEnd?.(id);
      forgetOldest(this.#jobs);
    });
  }

  #get(id: string): Job {
    const job = this.#jobs.get(id);
    if (job) return job;
    const known = this.all();
    const hint =
      known.length === 0 ? "No background job has been started in this session." : `There are: ${namesOf(known)}.`;
    return fail("invalid_input", `There is no background job "${id}".`, hint, { ids: known.map((one) => one.id) });
  }

  /** This answer tells the caller of the end, so nobody needs to report it again. */
  #told(job: Job): JobState {
    const state = job.state();
    if (state.status === "ended") this.#untold.delete(job.id);
    return state;
  }

  readonly find: JobStore["find"] = (id) => this.#jobs.get(id)?.state();
  readonly list: JobStore["list"] = () => this.all().map((job) => job.state());
  readonly wait: JobStore["wait"] = async (id, { timeoutMs, signal }) => {
    const job = this.#get(id);
    const over = new AbortController();
    const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    await Promise.race([job.ended, wait(timeoutMs, undefined, { signal: stop }).catch(() => {})]);
    over.abort();
    return this.#told(job);
  };
  readonly output: JobStore["output"] = async (id, window) => {
    const job = this.#get(id);
    const isOver = job.state().status === "ended";
    return job.log.window(window, isOver);
  };
  readonly write: JobStore["write"] = async (id, data, { end = false } = {}) => this.#get(id).input.write(data, end);
  readonly stop: JobStore["stop"] = async (id) => {
    const job = this.#get(id);
    await job.stop("stop");
    return this.#told(job);
  };
  readonly remove: JobStore["remove"] = async (id) => {
    const job = this.#get(id);
    await job.stop("stop");
    this.#told(job);
    this.#jobs.delete(id);
    job.log.file?.remove();
  };
  readonly finished: JobStore["finished"] = () => {
    const ended = [...this.#untold].flatMap((id) => this.#jobs.get(id)?.state() ?? []);
    this.#untold.clear();
    return ended;
  };
}

class SessionJobs extends JobTable implements JobStore {
  readonly servesHeld?: true;
  readonly takesCopies?: true;
  readonly #options: JobsOptions;
  readonly #family = randomUUID();
  readonly #launcher: ReturnType<typeof createLauncher>;
  readonly #watchdog = createWatchdog(`${MARK}=${this.#family}.`);
  #count = 0;
  #minded = 0;
  #starting = 0;
  #isClosed = false;

  constructor(options: JobsOptions) {
    super(options.onEnded);
    this.#options = options;
    this.#launcher = createLauncher(options);
    if (options.servesHeld) this.servesHeld = true;
    if (options.mount) this.takesCopies = true;
  }

  #nextId(): string {
    const { folder } = this.#options;
    // A resumed session has output files of earlier jobs.
    do this.#count++;
    while (folder !== undefined && existsSync(join(folder, `j${this.#count}.log`)));
    return `j${this.#count}`;
  }

  readonly start = async (request: JobRequest): Promise<JobState> => {
    if (this.#isClosed)
      fail("tool_unavailable", "The session is over: no background job can be started.", "Start it in a new session.");
    if (request.command.includes("\0"))
      fail("invalid_input", "A command cannot hold a NUL character.", "Remove it from the command.");
    const running = this.all().filter((job) => job.state().status === "running");
    if (running.length + this.#starting >= (this.#options.maxRunning ?? MAX_RUNNING))
      fail(
        "limit_reached",
        `${running.length} background jobs are running, the limit.`,
        `Stop one that is no longer needed: ${namesOf(running)}.`,
      );
    this.#starting++;
    try {
      return await this.#launch(request);
    } finally {
      this.#starting--;
    }
  };

  async #launch(request: JobRequest): Promise<JobState> {
    checkGranted(request, request.bound);
    const id = this.#nextId();
    const job = await this.#launcher.launch(id, `${this.#family}.${id}.`, request, this.#watchdog.arm);
    const { pid } = job.state();
    this.#watchdog.guard(pid);
    return this.#entered(job, () => {
      if (!job.state().left) this.#watchdog.release(pid);
    });
  }

  async #entered(job: Job, onEnded?: () => void): Promise<JobState> {
    this.enter(job, onEnded);
    // The session closed meanwhile and did not see this job.
    if (this.#isClosed) await job.stop("stop");
    return job.state();
  }

  readonly keepLeftovers = (request: RunRequest): LeftoverKeeper => {
    const value = `${this.#family}.left-${++this.#minded}.`;
    const startedAt = Date.now();
    return {
      env: { [MARK]: value },
      adopt: async ({ end }) => {
        const { adoptJob } = await import("./adopt.ts");
        const { OutputLog } = await import("./output-log.ts");
        const log = new OutputLog(undefined);
        log.note("[A foreground command left this running. Its output is not recorded.]");
        const mark = `${MARK}=${value}`;
        const job = await adoptJob({ id: `j${this.#count + 1}`, mark, startedAt, log }, request);
        if (!job) return undefined;
        if (end) return void (await job.stop("stop"));
        this.#watchdog.arm();
        this.#count++;
        return this.#entered(job);
      },
    };
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    const own = () => this.all().filter((job) => job.state().status === "running" || job.state().left);
    for (const job of own()) signalGroup({ id: job.state().pid }, "SIGTERM");
    // Ends all in one scan, including orphans of jobs that ended long ago. After that, ends processes that hide their mark.
    if (this.#count + this.#minded > 0)
      await endFamily(() => ({ leader: 0, mark: `${MARK}=${this.#family}.`, isLed: false }), CLOSE_GRACE_MS);
    await Promise.all(own().map((job) => job.stop("stop")));
    this.#watchdog.close();
    this.#launcher.close();
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

  const placed = async (command: Spawn, { copy }: JobRequest): Promise<Spawn> => {
    if (copy === undefined) return command;
    return options.mount?.(command, copy) ?? fail("tool_unavailable", "No job gets a copy here.", "Leave in_copy out.");
  };

  return {
    /** `onStart` is called right before the program starts, when everything is ready. A failure leaves nothing behind. */
    async launch(id: string, mark: string, request: JobRequest, onStart: () => void): Promise<Job> {
      const plain = await plainCommand(request, mark);
      const fenced = await options.fence?.(plain, request);
      const command = await placed(fenced?.command ?? plain, request);
      const { startJob } = await import("./job.ts");
      const { openLogFile } = await import("./log-file.ts");
      const { OutputLog } = await import("./output-log.ts");
      const log = new OutputLog(folder === undefined ? undefined : openLogFile(join(folder, `${id}.log`), fileBytes));
      const [pipe] = (request.hasTerminal ? undefined : await pipes.take(1)) ?? [];
      onStart();
      const parts = {
        ...{ id, command, mark: `${MARK}=${mark}`, log, pipe },
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
  jobs.map((job) => `${job.id} (${job.state().status}: ${shorten(job.state().command)})`).join(", ");

const shorten = (command: string): string => {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
};

/** Files of forgotten jobs stay in the session's folder. */
function forgetOldest(jobs: Map<string, Job>): void {
  const ended = [...jobs.values()].filter((job) => job.state().status === "ended" && !job.state().left);
  for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) jobs.delete(id);
}
