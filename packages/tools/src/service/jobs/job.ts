import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fail, type JobRequest, type JobState } from "@haft/core/tool";
import type { Spawn } from "../../host/index.ts";
import { signalGroup } from "../../host/process/group.ts";
import type { Pipe } from "../../host/process/pipe.ts";
import type { Fenced } from "../../sandbox/index.ts";
import { type Code, saidSignalOf } from "../../sandbox/outcome.ts";
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
  /** The fence that its command stands in. */
  readonly fenced?: Fenced;
}

/**
 * Starts a job, as the leader of a group and session of its own.
 *
 * @throws HaftError `tool_unavailable`, `invalid_input` when the system cannot start it.
 */
export async function startJob(setting: JobSetting, request: JobRequest): Promise<Job> {
  const { id, command, mark, log, pipe, fenced } = setting;
  const startedAt = Date.now();
  const started = performance.now();
  const child = spawnChild(command, pipe, request.takesInput === true);
  const said = wordsOf(child);
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
    outcome = fenced ? toldBy(said(), how) : how;
    input.close();
    await whenQuiet(sources);
    const refused = await fenced?.over({ exitCode: outcome.code, output: await lastWords(log) });
    if (refused !== undefined) log.note(`[${refused}]`);
    hasLeft = signalGroup({ id: pid }, 0);
    // The dead whom nobody collects can be signalled too; only /proc tells them from the living.
    if (hasLeft && process.platform === "linux") hasLeft = (await membersOf(family())).length > 0;
    if (!hasLeft) await log.file?.close();
    isOver = true;
  });

  async function endAll(): Promise<void> {
    if (!outcome) await fenced?.endGently(GRACE_MS);
    await endFamily(family, GRACE_MS);
  }

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
      stopping ??= endAll();
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

/** What stands around a fenced program has words on descriptor 3 when a signal ended it: see `withinShim`. */
function wordsOf(child: ChildProcess): () => string {
  let text = "";
  const stream = child.stdio[3] as Readable | null | undefined;
  stream?.on("data", (chunk: Buffer) => {
    if (text.length < 1024) text += chunk.toString("utf8");
  });
  unref(stream);
  return () => text;
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The exit code of the shell in front is 128 + n for signal n, if it says so. */
function toldBy(words: string, how: Ending): Ending {
  const { exitCode, signal } = saidSignalOf<Code>({ exitCode: how.code }, words === "" ? undefined : words);
  return signal === undefined ? how : { code: exitCode, signal: signal as NodeJS.Signals };
}

/** Bytes of the end of a job's output in which a refusal is looked for. */
const LAST_WORDS = 8192;

const lastWords = async (log: OutputLog): Promise<string> =>
  (await log.window({ part: "tail", maxBytes: LAST_WORDS }, true)).text;

function spawnChild({ argv, cwd, env, descriptors }: Spawn, pipe: Pipe | undefined, takesInput: boolean): ChildProcess {
  const [program = "", ...args] = argv;
  const output = pipe?.writeFd ?? "pipe";
  const more = descriptors === undefined ? [] : ["pipe" as const, ...descriptors];
  const stdio: StdioOptions = [takesInput ? "pipe" : "ignore", output, output, ...more];
  try {
    return spawn(program, args, { cwd, env, detached: true, stdio });
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
