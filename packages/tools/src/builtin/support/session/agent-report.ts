import { type AgentReport, counted, HaftError, text } from "@haft/core/tool";
import { needs } from "./needs.ts";

export const needsAgents = needs("agents", "no agents can be started: no model is configured for them");

const amount = (description: string) => ({ type: "integer", minimum: 0, description }) as const;

/** The budget of an agent and all its descendants. */
export const budgetFields = {
  tokens: amount("Maximum number of tokens, including its own agents. 0: none."),
  calls: amount("Maximum number of tool calls."),
  spawns: amount("Maximum number of agents it may start."),
  money: { type: "number", minimum: 0, description: "Most costs." },
  max_turns: { type: "integer", minimum: 1, description: "Most turns." },
} as const;

/** An agent's work, as a sentence after its answer. */
export function standingOf({ id, status, calls, durationMs, filesModified, why, note }: AgentReport): string {
  const time = durationMs < 10_000 ? `${(durationMs / 1000).toFixed(1)} s` : `${Math.round(durationMs / 1000)} s`;
  const files = filesModified.length === 0 ? "" : `; changed ${filesModified.join(", ")}`;
  const how = status === "running" ? "works" : `${status} after ${time}`;
  return `[Agent ${id} ${how}${why ? `: ${why.replace(/\.$/, "")}` : ""}; ${counted(calls, "call")}${files}]${note ? `\n${note}` : ""}`;
}

/** The answer as shown to the model. */
export function reportText(report: AgentReport): readonly [ReturnType<typeof text>] {
  if (report.status === "running")
    return [
      text(
        `Agent ${report.id} works in the background. You get a message when it ends; TaskOutput waits for it, TaskStop ends it.`,
      ),
    ];
  return [text(`${report.text.trim()}\n\n${standingOf(report)}`.trim())];
}

/** An agent without a complete answer is a failed call, which includes the text that the agent wrote. */
export function answered(report: AgentReport): AgentReport {
  if (report.status === "running" || report.status === "completed") return report;
  throw new HaftError(
    {
      code: report.status === "stopped" ? "cancelled" : "agent_failed",
      message: `The agent ${report.name ?? report.type} (${report.id}) gave no complete answer: ${report.why ?? "it failed"}`,
      hint: "Use what it returned, if anything, or do that part in another way.",
    },
    { output: report },
  );
}
