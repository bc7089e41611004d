import type { DelegationRequest, ToolAgentEvents, ToolAgentResult, ToolAgentStep } from "@haft/core/compat/tool-define";
import { type AgentNews, type AgentReport, type Agents, type Clock, HaftError } from "@haft/core/tool";

/** A skill that the agent can use. */
export interface DelegatedSkill {
  readonly name: string;
  readonly description?: string;
}

interface DelegationOptions {
  readonly agents: Agents;
  readonly clock: Pick<Clock, "now">;
  readonly skills?: readonly DelegatedSkill[];
  readonly signal?: AbortSignal;
  readonly maxToolCalls?: number;
  readonly timeoutMs?: number;
  readonly autoConfirmDangerous?: boolean;
}

/** The system prompt of the agent. */
const buildToolAgentSystemPrompt = (skills: readonly DelegatedSkill[] = []): string =>
  skills.length === 0
    ? ""
    : [
        "Skills that you may load:",
        ...skills.map(({ name, description }) => `- ${name}${description ? `: ${description}` : ""}`),
      ].join("\n");

/** The task as the agent reads it. */
const buildToolAgentUserPrompt = (task: string, context: string, expectedOutcome: string): string =>
  [`# Task\n${task}`, `# Context\n${context}`, `# Expected outcome\n${expectedOutcome}`].join("\n\n");

/** The steps as a log. */
const buildDetails = (steps: readonly ToolAgentStep[]): string =>
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
  const log = new StepLog(events, clock);
  const { task, context, expectedOutcome } = request;
  const report = await agents.start({
    type: "general",
    description: task.length > 60 ? `${task.slice(0, 59)}…` : task,
    prompt: buildToolAgentUserPrompt(task, context, expectedOutcome),
    system: buildToolAgentSystemPrompt(skills),
    onNews: (news) => log.hear(news),
    ...(signal ? { signal } : {}),
    ...(maxToolCalls === undefined ? {} : { budget: { calls: maxToolCalls } }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(autoConfirmDangerous === undefined ? {} : { confirms: autoConfirmDangerous }),
  });
  return log.result(report);
}

/** A step that is not over yet. */
type OpenStep = { -readonly [Key in keyof ToolAgentStep]: ToolAgentStep[Key] };

class StepLog {
  readonly #events: ToolAgentEvents;
  readonly #clock: Pick<Clock, "now">;
  readonly #steps: OpenStep[] = [];
  readonly #open = new Map<string, OpenStep>();
  readonly #errors: string[] = [];
  /** Ended steps that the agent has not described yet. */
  #unsaid: OpenStep[] = [];
  #thinking = "";
  #streamed = false;

  constructor(events: ToolAgentEvents, clock: Pick<Clock, "now">) {
    this.#events = events;
    this.#clock = clock;
  }

  result(report: AgentReport): ToolAgentResult {
    const answered = report.status === "completed";
    if (!answered) this.#fail(report.why ?? "the agent gave no answer");
    const allFailed = this.#steps.length > 0 && this.#steps.every(({ status }) => status === "failed");
    return {
      success: answered && !allFailed,
      summary: report.text.trim(),
      details: buildDetails(this.#steps),
      filesModified: report.filesModified,
      errors: this.#errors,
      toolCallCount: this.#steps.length,
      executionTimeMs: report.durationMs,
      ...(report.sources ? { sources: report.sources } : {}),
    };
  }

  hear(news: AgentNews): void {
    switch (news.type) {
      case "thinking":
        if (news.isWhole) this.#thinking += news.text;
        return;
      case "text":
        if (!news.isWhole || !this.#streamed) this.#tell("onTextChunk", news.text);
        this.#streamed = !news.isWhole;
        if (!news.isWhole) return;
        for (const step of this.#unsaid) {
          step.summary = news.text;
          this.#tell("onStepSummary", step);
        }
        this.#unsaid = [];
        return;
      case "call": {
        const step: OpenStep = {
          toolName: news.tool,
          arguments: (news.input ?? {}) as ToolAgentStep["arguments"],
          result: undefined,
          status: "success",
          timestamp: this.#clock.now(),
          ...(this.#thinking === "" ? {} : { thinking: this.#thinking }),
        };
        this.#thinking = "";
        this.#steps.push(step);
        this.#open.set(news.id, step);
        this.#tell("onStepStart", step);
        this.#tell("onProgress", news.title);
        return;
      }
      case "result": {
        const step = this.#open.get(news.id);
        if (!step) return;
        this.#open.delete(news.id);
        step.result = news.text;
        step.status = news.ok ? "success" : "failed";
        if (news.error !== undefined) {
          step.error = news.error;
          this.#fail(`${step.toolName}: ${news.error}`);
        }
        this.#unsaid.push(step);
        this.#tell("onStepComplete", step);
        return;
      }
      case "note":
        this.#tell("onProgress", news.text);
    }
  }

  #tell<K extends keyof ToolAgentEvents>(event: K, value: Parameters<NonNullable<ToolAgentEvents[K]>>[0]): void {
    try {
      (this.#events[event] as ((value: unknown) => void) | undefined)?.(value);
    } catch {
      // A listener must not affect the delegation.
    }
  }

  #fail(error: string): void {
    this.#errors.push(error);
    this.#tell("onError", error);
  }
}

/** A delegation without success is a failed call, which includes its result. */
export function succeeded(result: ToolAgentResult): ToolAgentResult {
  if (result.success) return result;
  throw new HaftError(
    {
      code: "agent_failed",
      message: `The task was not carried out: ${result.errors.at(-1) ?? "every call failed"}`,
      hint: "Use its findings, or do it in another way.",
    },
    { output: result },
  );
}
