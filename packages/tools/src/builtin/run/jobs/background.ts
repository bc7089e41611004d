import type { CallContext, JobOutput, JobRequest, JobState, RunOutcome } from "@haft/core/tool";
import { plainText } from "./plain-text.ts";
import { jobsOf, servedNote, skippedNote, standing } from "./report.ts";

/** Milliseconds to wait for an immediate failure before answering the call. */
export const START_MS = 250;
/** Bytes of output in the answer. */
const TAIL_BYTES = 8 * 1024;
/** Maximum bytes returned for a command that ended during the wait. */
const WHOLE_BYTES = 1024 * 1024;

/** The output of a background command for programs, while it runs. */
export interface Running {
  readonly status: "running";
  /** The id that `process`, TaskOutput and TaskStop use. */
  readonly id: string;
  readonly pid: number;
  /** The end of its output so far. */
  readonly tail: string;
}

/** Either still running, or ended as a command in the foreground would have. */
type Started = { readonly running: Running; readonly output: string } | { readonly outcome: RunOutcome };

/** Starts a job and waits a moment. A cancel during the wait ends the job, because nobody would know its id. */
export async function startInBackground(request: JobRequest, waitMs: number, ctx: CallContext): Promise<Started> {
  const jobs = jobsOf(ctx.ports);
  const { id } = await jobs.start(request);
  const state = await jobs.wait(id, { timeoutMs: waitMs, signal: ctx.signal });
  const whole = { part: "new", maxBytes: WHOLE_BYTES } as const;
  if (ctx.signal.aborted && state.status === "running") {
    const stopped = await jobs.stop(id);
    return { outcome: outcomeOf(request, stopped, await jobs.output(id, whole), true) };
  }
  if (state.status === "ended" && !state.left)
    return { outcome: outcomeOf(request, state, await jobs.output(id, whole), false) };
  const { text, skipped } = await jobs.output(id, { part: "new", maxBytes: TAIL_BYTES });
  const tail = skippedNote(skipped, state) + text;
  return {
    running: { status: "running", id, pid: state.pid, tail },
    output: `${shown(tail, state)}${runningNote(state)}`,
  };
}

function outcomeOf(
  { inCopy = false }: JobRequest,
  state: JobState,
  { text, skipped }: JobOutput,
  cancelled: boolean,
): RunOutcome {
  const said = shown(skippedNote(skipped, state) + text, state);
  const output =
    inCopy && state.changes ? `${said === "" ? "" : `${said.replace(/\n$/, "")}\n`}[${state.changes}]` : said;
  const { exitCode, signal, durationMs, endedBy, left } = state;
  return {
    ...{ exitCode, durationMs, cancelled, left },
    ...(signal ? { signal } : {}),
    timedOut: endedBy === "timeout",
    // A job has one stream for both, in order of arrival.
    ...{ output, stdout: output, stderr: "" },
  };
}

const keptNote = (state: JobState): string => servedNote(state) || watchedNote(state);

const watchedNote = ({ changes }: JobState): string =>
  changes === undefined
    ? "Its file changes cannot be undone."
    : changes || "File changes meanwhile can be undone, as far as possible.";

const shown = (text: string, { hasTerminal }: JobState): string => (hasTerminal ? plainText(text) : text);

/** How the model deals with a running job. */
const ADVICE = "See it with process poll or TaskOutput, end it with TaskStop; it ends with the session.";

/** An output for people, who have no tools. */
export const withoutAdvice = (output: string): string => output.replace(ADVICE, "It ends with the session.");

const runningNote = (state: JobState): string =>
  [
    "",
    `[Background job ${state.id} (process ${state.pid}) ${state.status === "running" ? "continues" : standing(state)}.`,
    ADVICE,
    `${keptNote(state)}${state.file ? ` Its output: ${state.file}` : ""}]`,
  ].join("\n");
