import { type AgentReport, defineTool, state, text } from "@haft/core/tool";
import { standingOf } from "../support/session/agent-report.ts";
import { plainText } from "./jobs/plain-text.ts";
import { changesNote, type JobReport, jobsNamed, needsJobs, reportOf, skippedNote, standing } from "./jobs/report.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 600_000;
/** Maximum bytes shown from the end of the output. */
const TAIL_BYTES = 24 * 1024;

const input = {
  type: "object",
  properties: {
    task_id: {
      type: "string",
      minLength: 1,
      description: 'The id of the background task: "j1", or of an agent: "a1".',
    },
    block: { type: "boolean", description: "Wait for its end. Default true." },
    timeout: {
      type: "integer",
      minimum: 0,
      maximum: MAX_TIMEOUT_MS,
      description: `Maximum milliseconds to wait. Default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}.`,
    },
  },
  required: ["task_id"],
  additionalProperties: false,
} as const;

/** The output for programs about a background command. */
interface JobOutputReport extends JobReport {
  /** `timeout`: the wait ended before the command did. */
  readonly retrieval: "ended" | "running" | "timeout";
  /** The end of its output. */
  readonly output: string;
}

/** The output for programs about an agent. */
interface AgentOutputReport {
  readonly agent: AgentReport;
  readonly retrieval: JobOutputReport["retrieval"];
}

/** The output for programs about a task. */
type TaskOutputOutput = JobOutputReport | AgentOutputReport;

/** TaskOutput: returns the status and output of a background task. */
export const taskOutput = defineTool({
  name: "TaskOutput",
  aliases: ["BashOutput", "read_background_output"],
  rules: { groups: ["plan"] },
  title: "Read task output",
  searchHint: "background task output status wait result job shell",
  description: [
    "Returns the status and latest output of a background task; waits for its end unless block is false.",
    "A task that has not ended in time goes on. For output in pages, or only what is new, use process.",
  ].join("\n"),
  input,
  can: ["state"],
  when: needsJobs,
  limits: { resultChars: 30_000 },
  onInterrupt: "cancel",
  effects: () => [state("jobs", { change: false })],
  describe: ({ task_id: id = "task", block }) => ({
    title: `Output of ${id}`,
    activity: block === false ? `Looking at ${id}` : `Waiting for ${id}`,
  }),
  async run({ task_id: id, block = true, timeout = DEFAULT_TIMEOUT_MS }, ctx): Promise<TaskOutputOutput> {
    const limit = { timeoutMs: block ? timeout : 0, signal: ctx.signal };
    if (ctx.ports.agents?.find(id)) {
      const agent = await ctx.ports.agents.wait(id, limit);
      return { agent, retrieval: agent.status !== "running" ? "ended" : block ? "timeout" : "running" };
    }
    const jobs = jobsNamed(ctx.ports, id);
    const found = await jobs.wait(id, limit);
    const { text: tail, skipped } = await jobs.output(id, { part: "tail", maxBytes: TAIL_BYTES });
    const retrieval = found.status === "ended" ? "ended" : block ? "timeout" : "running";
    return { ...reportOf(found), retrieval, output: skippedNote(skipped, found) + tail };
  },
  toModel: (output) => {
    if ("agent" in output) return [text(agentText(output))];
    const waited = output.retrieval === "timeout" ? " It did not end in that time and continues." : "";
    const shown = output.hasTerminal ? plainText(output.output) : output.output;
    const body = shown.replace(/\s+$/, "");
    return [
      text(`${body}${body === "" ? "" : "\n"}[Task ${output.id} is ${how(output)}.${waited}${changesNote(output)}]`),
    ];
  },
  sources: (output) => ("agent" in output ? (output.agent.sources ?? []) : []),
  toDisplay: (found) => {
    if ("agent" in found) return { kind: "markdown", text: found.agent.text };
    const { output, command, exitCode } = found;
    return { kind: "terminal", text: output, command, ...(exitCode === null ? {} : { exitCode }) };
  },
});

const agentText = ({ agent, retrieval }: AgentOutputReport): string =>
  `${agent.text.trim()}\n${standingOf(agent)}${retrieval === "timeout" ? " It did not end in that time and continues." : ""}`.trim();

const how = (report: JobReport): string =>
  report.status === "running" ? standing(report) : `over: it ${standing(report)}`;
