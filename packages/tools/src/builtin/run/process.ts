import {
  counted,
  defineTool,
  type Effect,
  type EffectContext,
  type Problem,
  type RunEffect,
  run,
  state,
  text,
} from "@haft/core/tool";
import { oneLine } from "../support/wording.ts";
import { plainText } from "./jobs/plain-text.ts";
import { changesNote, type JobReport, jobsOf, needsJobs, reportOf, skippedNote, standing } from "./jobs/report.ts";

const ACTIONS = ["list", "poll", "log", "write", "kill", "clear", "remove"] as const;
const CHANGING: readonly string[] = ["write", "kill", "clear", "remove"];
const MAX_WAIT_MS = 60_000;
const DEFAULT_LINES = 200;
const POLL_BYTES = 64 * 1024;

const input = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ACTIONS,
      description:
        "list: all jobs. poll: output since the last poll. log: lines of the output. write: text to its input. kill: end it. clear: forget one ended job, or all. remove: end and forget it.",
    },
    id: { type: "string", minLength: 1, description: 'The job: "j1". Needed except for list and clear.' },
    wait_ms: {
      type: "integer",
      minimum: 0,
      maximum: MAX_WAIT_MS,
      description: "poll: milliseconds to wait for the job's end first. Default 0.",
    },
    offset: { type: "integer", minimum: 1, description: "log: number of the first line. Default: the last lines." },
    limit: { type: "integer", minimum: 1, maximum: 5000, description: `log: lines. Default ${DEFAULT_LINES}.` },
    stdin: {
      type: "string",
      description: "write: the text. End a line with a newline; in a terminal, these are keys.",
    },
    eof: { type: "boolean", description: "write: close the input afterwards." },
  },
  required: ["action"],
  additionalProperties: false,
} as const;

/** The output of `process` for programs. */
interface ProcessOutput {
  readonly action: (typeof ACTIONS)[number];
  /** The job, or for `list` and `clear` all current jobs. */
  readonly jobs: readonly JobReport[];
  /** `poll`, `log`: the text. */
  readonly output?: string;
  /** `log`: number of its first line. */
  readonly first?: number;
  /** `write`: bytes that the job has not read yet. */
  readonly waiting?: number;
}

type Wish = { readonly action: ProcessOutput["action"] } & Partial<
  Record<"id" | "stdin", string> & Record<"wait_ms" | "offset" | "limit", number> & { readonly eof: boolean }
>;

/** process: manages the background jobs of this session. */
export const process = defineTool({
  name: "process",
  aliases: ["write_stdin"],
  rules: { groups: ["runtime"] },
  title: "Background jobs",
  searchHint: "background job process list poll log write stdin kill server",
  description: "Manages jobs that Bash started with run_in_background or wait_ms.",
  input,
  can: ["state", "run", "read", "write", "connect"],
  when: needsJobs,
  limits: { resultChars: 30_000 },
  onInterrupt: "cancel",
  effects: (wish, ctx): Promise<readonly Effect[]> | readonly Effect[] =>
    wish.action === "write" ? writeEffects(wish, ctx) : [state("jobs", { change: CHANGING.includes(wish.action) })],
  validate: (wish) => problemOf(wish),
  describe: ({ action, id }) => ({
    title: id ? `Job ${id}${action ? `: ${action}` : ""}` : `Background jobs${action ? `: ${action}` : ""}`,
    activity: id ? `Looking after job ${id}` : "Looking after background jobs",
  }),
  async run(wish, ctx): Promise<ProcessOutput> {
    const { action, id = "" } = wish;
    const jobs = jobsOf(ctx.ports);
    switch (action) {
      case "list":
        return { action, jobs: jobs.list().map(reportOf) };
      case "poll": {
        const found = await jobs.wait(id, { timeoutMs: wish.wait_ms ?? 0, signal: ctx.signal });
        const { text: news, skipped } = await jobs.output(id, { part: "new", maxBytes: POLL_BYTES });
        return { action, jobs: [reportOf(found)], output: skippedNote(skipped, found) + news };
      }
      case "log": {
        const { offset, limit = DEFAULT_LINES } = wish;
        const window = { part: "lines", limit, ...(offset === undefined ? {} : { first: offset }) } as const;
        const { text: lines, first = 1 } = await jobs.output(id, window);
        return { action, jobs: [reportOf(jobs.find(id)!)], output: lines, first };
      }
      case "write": {
        const { waiting } = await jobs.write(id, wish.stdin ?? "", { end: wish.eof === true });
        return { action, jobs: [reportOf(jobs.find(id)!)], waiting };
      }
      case "kill":
        return { action, jobs: [reportOf(await jobs.stop(id))] };
      case "remove": {
        const ended = await jobs.stop(id);
        await jobs.remove(id);
        return { action, jobs: [reportOf(ended)] };
      }
      case "clear": {
        const over = id === "" ? jobs.list() : [await jobs.wait(id, { timeoutMs: 0 })];
        await Promise.all(over.filter((job) => job.status === "ended").map((job) => jobs.remove(job.id)));
        return { action, jobs: jobs.list().map(reportOf) };
      }
    }
  },
  toModel: ({ output, ...rest }) => {
    const plain = rest.jobs[0]?.hasTerminal && output !== undefined ? plainText(output) : output;
    return [text(wordsOf({ ...rest, ...(plain === undefined ? {} : { output: plain }) }))];
  },
  toDisplay: ({ action, jobs, output }) => {
    const [job] = jobs;
    if (output === undefined || job === undefined) return { kind: "text", text: wordsOf({ action, jobs }) };
    return { kind: "terminal", text: output, command: job.command };
  },
});

function problemOf({ action, id, stdin, eof }: Wish): Problem | undefined {
  const problem = (message: string, hint: string): Problem => ({ code: "validation_failed", message, hint });
  if (id === undefined && action !== "list" && action !== "clear")
    return problem(`${action} needs the id of a job.`, "Use action list to see the ids.");
  if (action === "write" && stdin === undefined && !eof)
    return problem("write needs a text.", "Pass it in stdin, or eof: true to close the input.");
  return undefined;
}

/**
 * Input has no effects of its own if the program's use of input is known. For any other program, a shell above all,
 * input is like a command: it is judged as the commands that it may contain.
 */
async function writeEffects({ id = "", stdin = "" }: Wish, { ports, home }: EffectContext): Promise<readonly Effect[]> {
  const job = ports.jobs?.find(id);
  const own = state("jobs");
  // Without such a job there is nothing to judge: the call fails and names the existing jobs.
  if (!job?.isOpaque || stdin === "") return [own];
  const { cwd } = job;
  const { analyseShell } = await import("@haft/shell");
  const { effects } = analyseShell(stdin, { cwd, home, env: { HOME: home } });
  const mark: Pick<RunEffect, "background" | "direct"> = {
    background: true,
    ...(job.writable ? {} : { direct: true }),
  };
  // The program may be in another folder and interpret the same words differently.
  const doubt = (effect: Effect): Effect =>
    effect.do === "run" ? { ...effect, opaque: true, ...mark, basis: "enforced" } : effect;
  const known = effects.filter((effect) => effect.do !== "unknown").map(doubt);
  const whole = run({ argv: stdin.split(/\s+/).filter(Boolean), text: stdin, cwd });
  return [own, { ...whole, ...mark }, ...known];
}

function wordsOf({ action, jobs, output, first = 1, waiting = 0 }: ProcessOutput): string {
  const [job] = jobs;
  if (action === "list" || action === "clear" || job === undefined) return listOf(jobs);
  const is = job.status === "running" ? `is ${standing(job)}` : standing(job);
  if (action === "log") return `${body(output)}[Job ${job.id} ${is}. ${logNote(job, output, first)}]`;
  if (action === "poll") return `${body(output) || "(no new output)\n"}[Job ${job.id} ${is}.${changesNote(job)}]`;
  if (action !== "write")
    return `Job ${job.id} ${standing(job)}${action === "remove" ? "and was removed" : ""}.${changesNote(job)}`;
  return waiting === 0
    ? `Written to job ${job.id}.`
    : `Job ${job.id} has not read its input yet: ${waiting} bytes wait.`;
}

const listOf = (jobs: readonly JobReport[]): string =>
  jobs.length === 0
    ? "There are no background jobs."
    : jobs
        .map(
          (job) =>
            `${job.id}  process ${job.pid}  ${standing(job)}  ${counted(job.lines, "line")}  ${oneLine(job.command)}`,
        )
        .join("\n");

const body = (output = ""): string => (output === "" || output.endsWith("\n") ? output : `${output}\n`);

function logNote({ lines }: JobReport, output = "", first: number): string {
  const count = output === "" ? 0 : output.replace(/\n$/, "").split("\n").length;
  return count === 0 ? `It has ${counted(lines, "line")}.` : `Lines ${first} to ${first + count - 1} of ${lines}.`;
}
