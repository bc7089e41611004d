import type { JobRequest, JobState } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import type { Pipe } from "@haft/host/process";
import { endFamily, membersOf, signalGroup } from "@haft/host/process";
import type { Fenced } from "@haft/sandbox";
import { type Code, saidSignalOf } from "@haft/sandbox/facts";
import { createInput, type Input } from "./input.ts";
import type { OutputLog } from "./output-log.ts";
import { whenQuiet } from "./quiet.ts";
import { type Ending, startPiped } from "./running.ts";
import { startInTerminal, type TerminalSize } from "./terminal.ts";

/** Milliseconds between asking processes to end and killing them. */
const GRACE_MS = 500;

/** One background job, from the start of its first process to the end of its last. */
export interface Job {
  readonly id: string;
  readonly log: OutputLog;
  readonly input: Input;
  /** Resolves when its first process has ended and its output has been read. */
  readonly ended: Promise<void>;
  state(): JobState;
  /** Ends its whole process tree, including orphans after its own end. */
  stop(by: "timeout" | "stop"): Promise<void>;
}

interface JobSetting {
  readonly id: string;
  readonly command: Spawn;
  /** The variable that all its processes inherit, as `NAME=value`. */
  readonly mark: string;
  readonly log: OutputLog;
  /** Source of its output. Without it, Node creates pipes. */
  readonly pipe: Pipe | undefined;
  readonly isOpaque: boolean;
  /** The size of its terminal, if its request wants one. */
  readonly terminal: TerminalSize;
  /** The fence around its command. */
  readonly fenced?: Fenced;
}

/** How far a job is. */
interface Progress {
  /** The end of its first process. */
  outcome?: Ending & { readonly durationMs: number };
  /** Its output has been read as well. */
  isOver: boolean;
  endedBy?: JobState["endedBy"];
  hasLeft: boolean;
}

/**
 * Starts a job as the leader of its own group and session.
 *
 * @throws HaftError `tool_unavailable`, `invalid_input` when the system cannot start it.
 */
export async function startJob(setting: JobSetting, request: JobRequest): Promise<Job> {
  const { id, command, mark, log, pipe, fenced } = setting;
  const startedAt = Date.now();
  const started = performance.now();
  const running = request.hasTerminal
    ? await startInTerminal(command, setting.terminal)
    : await startPiped(command, pipe, request.takesInput === true);
  const { pid, sources, exit, said } = running;
  for (const source of sources) log.listen(source);
  fenced?.started(pid);
  const input = createInput(running.stdin, id);

  const now: Progress = { isOver: false, hasLeft: false };
  let stopping: Promise<void> | undefined;
  const elapsed = () => Math.round(performance.now() - started);
  // The pid is its own while it, or anything in its group, lives. After that, the system may reuse the pid.
  const family = () => ({ leader: pid, mark, isLed: !now.isOver || now.hasLeft });

  const ended = exit.then(async (how) => {
    clearTimeout(timer);
    const durationMs = elapsed();
    now.outcome = { ...(fenced ? toldBy(said(), how) : how), durationMs };
    input.close();
    await whenQuiet(sources);
    const refused = await fenced?.over({ exitCode: now.outcome.code, output: await lastWords(log) });
    if (refused !== undefined) log.note(`[${refused}]`);
    now.hasLeft = signalGroup({ id: pid }, 0);
    // Zombies can be signalled too; only /proc tells them from living processes.
    if (now.hasLeft && process.platform === "linux") now.hasLeft = (await membersOf(family())).length > 0;
    if (now.hasLeft && request.copy) await endLeftInCopy();
    if (!now.hasLeft) await log.file?.close();
    now.isOver = true;
  });

  /** Its copy is about to be merged and removed. */
  async function endLeftInCopy(): Promise<void> {
    await endFamily(family, GRACE_MS);
    log.note("[Its remaining processes were ended with it, because it ran in a copy.]");
    now.hasLeft = false;
  }

  async function endAll(): Promise<void> {
    if (!now.outcome) await fenced?.endGently(GRACE_MS);
    await endFamily(family, GRACE_MS);
  }

  async function stop(by: "timeout" | "stop"): Promise<void> {
    if (!now.outcome) now.endedBy ??= by;
    stopping ??= endAll();
    await stopping;
    stopping = undefined;
    await ended;
    now.hasLeft = false;
    await log.file?.close();
    for (const source of sources) source.destroy();
  }
  const timer = request.timeoutMs === undefined ? undefined : setTimeout(() => void stop("timeout"), request.timeoutMs);
  timer?.unref();
  const state = () => stateOf(setting, request, { pid, startedAt, takesInput: input.isOpen }, now, elapsed());
  return { id, log, input, ended, state, stop };
}

function stateOf(
  { id, log, fenced, isOpaque }: JobSetting,
  { command, cwd, description, hasTerminal = false }: JobRequest,
  { pid, startedAt, takesInput }: Pick<JobState, "pid" | "startedAt" | "takesInput">,
  { outcome, isOver, endedBy, hasLeft }: Progress,
  elapsedMs: number,
): JobState {
  return {
    ...{ id, command, cwd, pid, startedAt },
    ...(description === undefined ? {} : { description }),
    status: isOver ? "ended" : "running",
    exitCode: isOver ? (outcome?.code ?? null) : null,
    ...(isOver && outcome?.signal ? { signal: outcome.signal } : {}),
    ...(isOver && endedBy ? { endedBy } : {}),
    durationMs: outcome?.durationMs ?? elapsedMs,
    ...{ bytes: log.bytes, lines: log.lines, fileBytes: log.file?.bytes ?? 0 },
    ...(log.file ? { file: log.file.path } : {}),
    ...{ takesInput, hasTerminal, isOpaque },
    ...(fenced?.writable ? { writable: fenced.writable, reachable: isOver ? [] : fenced.reachable() } : {}),
    left: isOver && hasLeft && signalGroup({ id: pid }, 0),
  };
}

/** The exit code of the shell in front is 128 + n for signal n, if its text reports a signal. */
function toldBy(words: string, how: Ending): Ending {
  const { exitCode, signal } = saidSignalOf<Code>({ exitCode: how.code }, words === "" ? undefined : words);
  return signal === undefined ? how : { code: exitCode, signal: signal as NodeJS.Signals };
}

/** Bytes at the end of a job's output that are searched for a refusal. */
const LAST_WORDS = 8192;

const lastWords = async (log: OutputLog): Promise<string> =>
  (await log.window({ part: "tail", maxBytes: LAST_WORDS }, true)).text;
