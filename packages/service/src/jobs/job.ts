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

/**
 * Starts a job as the leader of its own group and session.
 *
 * @throws HaftError `tool_unavailable`, `invalid_input` when the system cannot start it.
 */
export async function startJob(setting: JobSetting, request: JobRequest): Promise<Job> {
  const { id, command, mark, log, pipe, fenced } = setting;
  const startedAt = Date.now();
  const started = performance.now();
  const hasTerminal = request.hasTerminal === true;
  const running = hasTerminal
    ? await startInTerminal(command, setting.terminal)
    : await startPiped(command, pipe, request.takesInput === true);
  const { pid, sources, exit, said } = running;
  for (const source of sources) log.listen(source);
  fenced?.started(pid);
  const input = createInput(running.stdin, id);

  let outcome: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
  let isOver = false;
  let endedBy: JobState["endedBy"];
  let durationMs = 0;
  let stopping: Promise<void> | undefined;
  let hasLeft = false;
  const isLeft = () => hasLeft && signalGroup({ id: pid }, 0);
  // The pid is its own while it, or anything in its group, lives. After that, the system may reuse the pid.
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
    // Zombies can be signalled too; only /proc tells them from living processes.
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
      ...{ takesInput: input.isOpen, hasTerminal },
      isOpaque: setting.isOpaque,
      ...(fenced?.writable ? { writable: fenced.writable, reachable: isOver ? [] : fenced.reachable() } : {}),
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

/** The exit code of the shell in front is 128 + n for signal n, if its text reports a signal. */
function toldBy(words: string, how: Ending): Ending {
  const { exitCode, signal } = saidSignalOf<Code>({ exitCode: how.code }, words === "" ? undefined : words);
  return signal === undefined ? how : { code: exitCode, signal: signal as NodeJS.Signals };
}

/** Bytes at the end of a job's output that are searched for a refusal. */
const LAST_WORDS = 8192;

const lastWords = async (log: OutputLog): Promise<string> =>
  (await log.window({ part: "tail", maxBytes: LAST_WORDS }, true)).text;
