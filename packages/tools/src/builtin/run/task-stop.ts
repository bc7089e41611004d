import { type AgentReport, defineTool, state, text } from "@haft/core/tool";
import { standingOf } from "../support/session/agent-report.ts";
import { changesNote, type JobReport, jobsNamed, needsJobs, reportOf, standing } from "./jobs/report.ts";

const input = {
  type: "object",
  properties: {
    task_id: {
      type: "string",
      minLength: 1,
      description: 'The id of the background task: "j1", or of an agent: "a1".',
    },
  },
  required: ["task_id"],
  additionalProperties: false,
} as const;

/** TaskStop: ends a background task and everything that it started. */
export const taskStop = defineTool({
  name: "TaskStop",
  aliases: ["KillShell", "KillBash"],
  rules: { groups: ["plan"] },
  title: "Stop background task",
  searchHint: "stop kill end background task job shell process server",
  description: "Ends a background task with all processes that it started.",
  input,
  can: ["state"],
  when: needsJobs,
  effects: () => [state("jobs")],
  describe: ({ task_id: id = "task" }) => ({ title: `Stop ${id}`, activity: `Stopping ${id}` }),
  async run({ task_id: id }, { ports }): Promise<JobReport | { readonly agent: AgentReport }> {
    if (ports.agents?.find(id)) return { agent: await ports.agents.stop(id) };
    return reportOf(await jobsNamed(ports, id).stop(id));
  },
  toModel: (report) => [
    text("agent" in report ? standingOf(report.agent) : `Task ${report.id} ${standing(report)}.${changesNote(report)}`),
  ],
});
