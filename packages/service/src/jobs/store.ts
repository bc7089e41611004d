import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fail, type JobRequest, type JobState, type Jobs, type RunRequest } from "@haft/core/tool";
import { JOB_MARK as MARK } from "@haft/host/process";
import type { Job } from "./job.ts";
import type { Launcher } from "./launcher.ts";
import type { JobsOptions } from "./options.ts";

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

const MAX_RUNNING = 64;
/** Most ended jobs that are remembered with their output. */
const MAX_ENDED = 50;

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
  #launcher: Launcher | undefined;
  #count = 0;
  #minded = 0;
  #starting = 0;
  #isClosed = false;

  constructor(options: JobsOptions) {
    super(options.onEnded);
    this.#options = options;
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
    this.#refuseIfClosed();
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

  #refuseIfClosed(): void {
    if (this.#isClosed)
      fail("tool_unavailable", "The session is over: no background job can be started.", "Start it in a new session.");
  }

  /** Most sessions start no job, and load nothing for it. */
  async #loaded(): Promise<Launcher> {
    const { createLauncher } = await import("./launcher.ts");
    this.#refuseIfClosed();
    this.#launcher ??= createLauncher(this.#options, this.#family);
    return this.#launcher;
  }

  async #launch(request: JobRequest): Promise<JobState> {
    const launcher = await this.#loaded();
    launcher.check(request);
    const id = this.#nextId();
    const job = await launcher.launch(id, `${this.#family}.${id}.`, request);
    const { pid } = job.state();
    launcher.watchdog.guard(pid);
    return this.#entered(job, () => {
      if (!job.state().left) launcher.watchdog.release(pid);
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
        // A session that closed meanwhile stops it below.
        await this.#loaded().then(
          ({ watchdog }) => watchdog.arm(),
          () => {},
        );
        this.#count++;
        return this.#entered(job);
      },
    };
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    const own = () => this.all().filter((job) => job.state().status === "running" || job.state().left);
    // Ends all in one scan, including orphans of jobs that ended long ago. After that, ends processes that hide their mark.
    if (this.#count + this.#minded > 0) {
      const { endMarked } = await import("./launcher.ts");
      await endMarked(
        own().map((job) => job.state().pid),
        `${MARK}=${this.#family}.`,
      );
    }
    await Promise.all(own().map((job) => job.stop("stop")));
    this.#launcher?.close();
  };
}

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
