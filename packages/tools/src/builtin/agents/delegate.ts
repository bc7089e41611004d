import type { ToolAgentResult } from "@haft/core/compat/tool-define";
import { defineTool, delegate as delegating, text } from "@haft/core/tool";
import { needsAgents } from "../support/session/agent-report.ts";
import { delegateTask, succeeded } from "../support/session/delegation.ts";
import { portOf } from "../support/session/needs.ts";

const words = (description: string) => ({ type: "string", minLength: 1, description }) as const;

const input = {
  type: "object",
  properties: {
    task: words("The task."),
    context: words("Facts that the agent needs: files, decisions, limits."),
    expectedOutcome: words("The expected result."),
  },
  required: ["task", "context", "expectedOutcome"],
  additionalProperties: false,
} as const;

/** Delegate: gives an agent a task with its context and expected outcome. The agent reports step by step. */
export const delegate = defineTool({
  name: "Delegate",
  title: "Delegate",
  searchHint: "delegate task agent context expected outcome report steps",
  description:
    "Hands a task to an agent and gives back what it did: its summary, each step, changed files and errors. For work of several steps whose outcome you can name; to look something up use Agent.",
  rules: { specifier: "agent" },
  input,
  offer: "deferred",
  can: ["delegate"],
  when: needsAgents,
  effects: () => [delegating("general")],
  describe: ({ task }) => ({
    title: task ? `Delegate: ${task}` : "Delegate",
    activity: task ? `Delegated: ${task}` : "An agent works",
  }),
  async run({ task, context, expectedOutcome }, ctx): Promise<ToolAgentResult> {
    const result = await delegateTask(
      { task, context, expectedOutcome, sessionId: ctx.session.id, messageId: ctx.session.messageId ?? "" },
      { agents: portOf(ctx.ports, "agents"), clock: ctx.ports.clock, signal: ctx.signal },
      { onProgress: (title) => ctx.progress({ title }) },
    );
    return succeeded(result);
  },
  toModel: ({ summary, details, filesModified }) => [
    text(
      [
        summary,
        ...(filesModified.length > 0 ? [`Changed: ${filesModified.join(", ")}`] : []),
        ...(details === "" ? [] : [`Steps:\n${details}`]),
      ].join("\n\n"),
    ),
  ],
  sources: ({ sources = [] }) => sources,
  toDisplay: ({ summary }) => ({ kind: "markdown", text: summary }),
});
