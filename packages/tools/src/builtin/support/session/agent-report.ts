import { type AgentReport, HaftError, text } from "@haft/core/tool";
import { needs } from "./needs.ts";

export const needsAgents = needs(
  "agents",
  "no agents can be started here: no model is configured for them, or the limits are reached",
);

const amount = (description: string) => ({ type: "integer", minimum: 0, description }) as const;

/** The budget of an agent and all its descendants. */
export const budgetFields = {
  tokens: amount("Most tokens, with agents below it. 0: none."),
  calls: amount("Most tool calls."),
  spawns: amount("Most agents it may start."),
  money: { type: "number", minimum: 0, description: "Most costs." },
  max_turns: { type: "integer", minimum: 1, description: "Most turns." },
} as const;

/** An agent's work, as a sentence after its answer. */
export function standingOf({ id, status, calls, durationMs, filesModified, why, note }: AgentReport): string {
  const time = durationMs < 10_000 ? `${(durationMs / 1000).toFixed(1)} s` : `${Math.round(durationMs / 1000)} s`;
  const files = filesModified.length === 0 ? "" : `; changed ${filesModified.join(", ")}`;
  const how = status === "running" ? "works" : `${status} after ${time}`;
  return `[Agent ${id} ${how}${why ? `: ${why}` : ""}; ${calls} calls${files}]${note ? `\n${note}` : ""}`;
}

/** The answer as shown to the model. */
export function reportText(report: AgentReport): readonly [ReturnType<typeof text>] {
  if (report.status === "running")
    return [
      text(
        `Agent ${report.id} works in the background. You are told when it has ended; TaskOutput waits for it, TaskStop ends it.`,
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
      message: `The agent ${report.name ?? report.type} (${report.id}) gave no whole answer: ${report.why ?? "it failed"}`,
      hint: "Use what it said, if anything, or do that part in another way.",
    },
    { output: report },
  );
}
