import type { DelegationRequest, ToolAgentEvents, ToolAgentResult, ToolAgentStep } from "@haft/core/compat/tool-define";
import { type AgentNews, type AgentReport, type Agents, type Clock, HaftError } from "@haft/core/tool";

/** A skill that the agent can use. */
export interface DelegatedSkill {
  readonly name: string;
  readonly description?: string;
}

export interface DelegationOptions {
  readonly agents: Agents;
  readonly clock: Pick<Clock, "now">;
  readonly skills?: readonly DelegatedSkill[];
  readonly signal?: AbortSignal;
  readonly maxToolCalls?: number;
  readonly timeoutMs?: number;
  readonly autoConfirmDangerous?: boolean;
}

/** The system prompt of the agent. */
export const buildToolAgentSystemPrompt = (skills: readonly DelegatedSkill[] = []): string =>
  skills.length === 0
    ? ""
    : [
        "Skills that you may load:",
        ...skills.map(({ name, description }) => `- ${name}${description ? `: ${description}` : ""}`),
      ].join("\n");

/** The task as the agent reads it. */
export const buildToolAgentUserPrompt = (task: string, context: string, expectedOutcome: string): string =>
  [`# Task\n${task}`, `# Context\n${context}`, `# Expected outcome\n${expectedOutcome}`].join("\n\n");

/** The steps as a log. */
export const buildDetails = (steps: readonly ToolAgentStep[]): string =>
  steps
    .map(({ toolName, arguments: input, status, error, thinking, summary }, index) =>
      [
        ...(thinking ? [`   thought: ${thinking}`] : []),
        `${index + 1}. ${toolName} ${JSON.stringify(input)}: ${status}${error ? `: ${error}` : ""}`,
        ...(summary ? [`   ${summary}`] : []),
      ].join("\n"),
    )
    .join("\n");

/** Lets an agent carry out a task, and reports each of its steps. Rejects only if no agent could be started. */
export async function delegateTask(
  request: DelegationRequest,
  { agents, clock, skills, signal, maxToolCalls, timeoutMs, autoConfirmDangerous }: DelegationOptions,
  events: ToolAgentEvents = {},
): Promise<ToolAgentResult> {
  const log = stepLog(events, clock);
  const { task, context, expectedOutcome } = request;
  const report = await agents.start({
    type: "general",
    description: task.length > 60 ? `${task.slice(0, 59)}…` : task,
    prompt: buildToolAgentUserPrompt(task, context, expectedOutcome),
    system: buildToolAgentSystemPrompt(skills),
    onNews: log.hear,
    ...(signal ? { signal } : {}),
    ...(maxToolCalls === undefined ? {} : { budget: { calls: maxToolCalls } }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(autoConfirmDangerous === undefined ? {} : { confirms: autoConfirmDangerous }),
  });
  return log.result(report);
}

/** A step that is not over yet. */
type OpenStep = { -readonly [Key in keyof ToolAgentStep]: ToolAgentStep[Key] };

function stepLog(events: ToolAgentEvents, clock: Pick<Clock, "now">) {
  const steps: OpenStep[] = [];
  const open = new Map<string, OpenStep>();
  const errors: string[] = [];
  /** Ended steps that the agent has not described yet. */
  let unsaid: OpenStep[] = [];
  let thinking = "";
  let streamed = false;

  function tell<K extends keyof ToolAgentEvents>(
    event: K,
    value: Parameters<NonNullable<ToolAgentEvents[K]>>[0],
  ): void {
    try {
      (events[event] as ((value: unknown) => void) | undefined)?.(value);
    } catch {
      // A listener must not affect the delegation.
    }
  }

  function fail(error: string): void {
    errors.push(error);
    tell("onError", error);
  }

  function hear(news: AgentNews): void {
    switch (news.type) {
      case "thinking":
        if (news.isWhole) thinking += news.text;
        return;
      case "text":
        if (!news.isWhole || !streamed) tell("onTextChunk", news.text);
        streamed = !news.isWhole;
        if (!news.isWhole) return;
        for (const step of unsaid) {
          step.summary = news.text;
          tell("onStepSummary", step);
        }
        unsaid = [];
        return;
      case "call": {
        const step: OpenStep = {
          toolName: news.tool,
          arguments: (news.input ?? {}) as ToolAgentStep["arguments"],
          result: undefined,
          status: "success",
          timestamp: clock.now(),
          ...(thinking === "" ? {} : { thinking }),
        };
        thinking = "";
        steps.push(step);
        open.set(news.id, step);
        tell("onStepStart", step);
        tell("onProgress", news.title);
        return;
      }
      case "result": {
        const step = open.get(news.id);
        if (!step) return;
        open.delete(news.id);
        step.result = news.text;
        step.status = news.ok ? "success" : "failed";
        if (news.error !== undefined) {
          step.error = news.error;
          fail(`${step.toolName}: ${news.error}`);
        }
        unsaid.push(step);
        tell("onStepComplete", step);
        return;
      }
      case "note":
        tell("onProgress", news.text);
    }
  }

  return {
    hear,
    result(report: AgentReport): ToolAgentResult {
      const answered = report.status === "completed";
      if (!answered) fail(report.why ?? "the agent gave no answer");
      const allFailed = steps.length > 0 && steps.every(({ status }) => status === "failed");
      return {
        success: answered && !allFailed,
        summary: report.text.trim(),
        details: buildDetails(steps),
        filesModified: report.filesModified,
        errors,
        toolCallCount: steps.length,
        executionTimeMs: report.durationMs,
      };
    },
  };
}

/** A delegation without success is a failed call, which includes its result. */
export function succeeded(result: ToolAgentResult): ToolAgentResult {
  if (result.success) return result;
  throw new HaftError(
    {
      code: "agent_failed",
      message: `The task was not carried out: ${result.errors.at(-1) ?? "every call failed"}`,
      hint: "Use what was found, or do it in another way.",
    },
    { output: result },
  );
}
