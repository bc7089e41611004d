import { type ChildProcess, spawn } from "node:child_process";
import { fail, type JobRequest, type JobState } from "@haft/core/tool";
import type { Spawn } from "../../host/index.ts";
import { signalGroup } from "../../host/process/group.ts";
import type { Pipe } from "../../host/process/pipe.ts";
import { createInput, type Input } from "./input.ts";
import { membersOf } from "./members.ts";
import type { OutputLog } from "./output-log.ts";
import { whenQuiet } from "./quiet.ts";
import { endFamily } from "./reap.ts";

/** Milliseconds between asking and making. */
const GRACE_MS = 500;

/** One background job, from its first process to the end of its last. */
export interface Job {
  readonly id: string;
  readonly log: OutputLog;
  readonly input: Input;
  /** Resolves when its first process has ended and what it said has been read. */
  readonly ended: Promise<void>;
  state(): JobState;
  /** Ends its whole tree, also what is left of it after its own end. */
  stop(by: "timeout" | "stop"): Promise<void>;
}

export interface JobSetting {
  readonly id: string;
  readonly command: Spawn;
  /** The variable that all its processes inherit, as `NAME=value`. */
  readonly mark: string;
  readonly log: OutputLog;
  /** Where its output comes from; without pipes Node makes some. */
  readonly pipe: Pipe | undefined;
  readonly isOpaque: boolean;
}

/**
 * Starts a job, as the leader of a group and session of its own.
 *
 * @throws HaftError `tool_unavailable`, `invalid_input` when the system cannot start it.
 */
export async function startJob(setting: JobSetting, request: JobRequest): Promise<Job> {
  const { id, command, mark, log, pipe } = setting;
  const startedAt = Date.now();
  const started = performance.now();
  const child = spawnChild(command, pipe, request.takesInput === true);
  const sources = pipe ? [pipe.reader] : [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const source of sources) log.listen(source);
  const exit = exitOf(child);
  const spawned = whenSpawned(child, command);
  // It is awaited below, after the pipe is handed over; a failure until then is not lost.
  spawned.catch(() => undefined);
  await pipe?.closeWriter();
  await spawned;
  const pid = child.pid!;
  // A host that is done may go: the jobs are no reason for it to stay.
  for (const handle of [child, child.stdin, ...sources]) unref(handle);
  const input = createInput(child.stdin, id);

  let outcome: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
  let isOver = false;
  let endedBy: JobState["endedBy"];
  let durationMs = 0;
  let stopping: Promise<void> | undefined;
  let hasLeft = false;
  const isLeft = () => hasLeft && signalGroup({ id: pid }, 0);
  // Its number is its own as long as it lives, or anything in its group does; then it may be given to a stranger.
  const family = () => ({ leader: pid, mark, isLed: !isOver || hasLeft });

  const ended = exit.then(async (how) => {
    clearTimeout(timer);
    durationMs = Math.round(performance.now() - started);
    outcome = how;
    input.close();
    await whenQuiet(sources);
    hasLeft = signalGroup({ id: pid }, 0);
    // The dead whom nobody collects can be signalled too; only /proc tells them from the living.
    if (hasLeft && process.platform === "linux") hasLeft = (await membersOf(family())).length > 0;
    if (!hasLeft) await log.file?.close();
    isOver = true;
  });

  const job: Job = {
    id,
    log,
    input,
    ended,
    state: () => ({
      ...{ id, command: request.command, cwd: request.cwd, pid, startedAt },
      ...(request.description === undefined ? {} : { description: request.description }),
      status: isOver ? "ended" : "running",
      exitCode: isOver ? (outcome?.code ?? null) : null,
      ...(isOver && outcome?.signal ? { signal: outcome.signal } : {}),
      ...(isOver && endedBy ? { endedBy } : {}),
      durationMs: outcome ? durationMs : Math.round(performance.now() - started),
      ...{ bytes: log.bytes, lines: log.lines, fileBytes: log.file?.bytes ?? 0 },
      ...(log.file ? { file: log.file.path } : {}),
      takesInput: input.isOpen,
      isOpaque: setting.isOpaque,
      left: isOver && isLeft(),
    }),
    async stop(by) {
      if (!outcome) endedBy ??= by;
      stopping ??= endFamily(family, GRACE_MS);
      await stopping;
      stopping = undefined;
      await ended;
      hasLeft = false;
      await log.file?.close();
      for (const source of sources) source.destroy();
    },
  };
  const timer =
    request.timeoutMs === undefined ? undefined : setTimeout(() => void job.stop("timeout"), request.timeoutMs);
  timer?.unref();
  return job;
}

function spawnChild({ argv, cwd, env }: Spawn, pipe: Pipe | undefined, takesInput: boolean): ChildProcess {
  const [program = "", ...args] = argv;
  const output = pipe?.writeFd ?? "pipe";
  try {
    return spawn(program, args, { cwd, env, detached: true, stdio: [takesInput ? "pipe" : "ignore", output, output] });
  } catch (thrown) {
    return refuse(thrown as NodeJS.ErrnoException, program);
  }
}

const exitOf = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });

const whenSpawned = (child: ChildProcess, { argv }: Spawn): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  }).catch((thrown) => refuse(thrown, argv[0] ?? ""));

function refuse(thrown: NodeJS.ErrnoException, program: string): never {
  if (thrown.code === "E2BIG")
    fail("invalid_input", "The command is too long for the system.", "Write it to a script file and run that.");
  if (thrown.code === "ENOENT")
    fail(
      "tool_unavailable",
      `${program} cannot be started: it, or the folder to run in, does not exist.`,
      "Install it, or name another folder.",
    );
  if (thrown.code === "EAGAIN")
    fail(
      "limit_reached",
      "The system has no room for another process.",
      "Stop background jobs that are no longer needed.",
    );
  throw thrown;
}

function unref(handle: unknown): void {
  (handle as { unref?(): void } | null)?.unref?.();
}
