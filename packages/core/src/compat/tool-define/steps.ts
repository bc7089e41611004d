import type { CallEvent } from "../../executor/index.ts";
import { contentsText, errorText } from "../../tool/index.ts";
import type { Step, StepType } from "./step.ts";
import type { ToolMetadataUpdate } from "./types.ts";

/** Callbacks for steps. One that throws changes nothing. */
export interface StepEvents {
  /** Called once for each call, when it begins. */
  onStepStart?(step: Step): void;
  /** Called when a step has changed: its status, title, thoughts or summary. */
  onStepChange?(step: Step): void;
  /** Called once for each call, when it has ended. */
  onStepComplete?(step: Step): void;
  /** Called for each live title and each live fact of a running call. */
  onMetadata?(update: ToolMetadataUpdate, step: Step): void;
}

/** Options of the steps. */
export interface StepOptions {
  readonly now?: () => number;
  /** Takes secrets out of inputs. */
  readonly clean?: (input: unknown) => unknown;
}

/** Most ended steps that wait for the agent's words about them. */
const MOST_UNSAID = 100;

/**
 * Folds events into steps. It understands the events of calls (`haft.on`) and of a session (`session.on`), and ignores
 * all others. Only a session has the agent's thoughts before a call and its words after it.
 */
export function createSteps(
  events: StepEvents,
  { now = Date.now, clean = (input) => input }: StepOptions = {},
): (event: { readonly type: string }) => void {
  const open = new Map<string, Step>();
  /** Ended steps of the main agent that it has not described yet. */
  let unsaid: Step[] = [];
  let thinking = "";

  function change(key: string, changed: Partial<Step>): Step | undefined {
    const before = open.get(key);
    if (!before) return undefined;
    const step = { ...before, ...changed };
    open.set(key, step);
    quietly(() => events.onStepChange?.(step));
    return step;
  }

  function start({ call, agent, input, title }: Received, key: string): void {
    const isMain = agent.parent === undefined;
    const toolCall = { id: call.id, toolName: call.tool, arguments: clean(input) };
    open.set(key, {
      ...{ id: call.id, type: typeOf(call.tool), title, status: "pending", timestamp: now() },
      ...{ turnIndex: call.turn, toolCallId: call.id, toolCall },
      ...(isMain && thinking !== "" ? { thinking } : {}),
    });
    if (isMain) thinking = "";
    change(key, {});
    const step = change(key, { status: "running" })!;
    quietly(() => events.onStepStart?.(step));
  }

  function hearCall(event: CallEvent): void {
    const key = JSON.stringify([event.agent.id, event.call.id]);
    if (event.type === "tool:call:received") {
      start(event, key);
      return;
    }
    const before = open.get(key);
    const changed = before && changeBy(event, before);
    const step = changed && change(key, changed);
    if (!step) return;
    if (event.type === "tool:execution:progress") {
      const { title, metadata } = event.progress;
      const update = { ...(title === undefined ? {} : { title }), ...(metadata ? { metadata } : {}) };
      quietly(() => events.onMetadata?.(update, step));
    }
    if (!("outcome" in event)) return;
    open.delete(key);
    if (event.agent.parent === undefined) unsaid = [...unsaid, step].slice(-MOST_UNSAID);
    quietly(() => events.onStepComplete?.(step));
  }

  function hearWords({ type, text }: Words): void {
    if (type === "reasoning") thinking += text;
    if (type !== "text" || text.trim() === "") return;
    for (const step of unsaid) quietly(() => events.onStepChange?.({ ...step, summary: text }));
    unsaid = [];
  }

  return (event) => {
    if (isCallEvent(event)) hearCall(event);
    else if (event.type === "model") for (const words of wordsIn(event)) hearWords(words);
  };
}

type Received = CallEvent & { readonly type: "tool:call:received" };

/** The change of a step by an event; `undefined` if there is none. */
function changeBy(event: Exclude<CallEvent, Received>, { type }: Step): Partial<Step> | undefined {
  switch (event.type) {
    case "tool:call:decided":
    case "tool:execution:start":
      return { title: event.title, description: event.activity };
    case "tool:permission:request":
      return { status: "awaiting-confirmation", ...(type === "bash" ? { type: "bash-confirm" } : {}) };
    case "tool:permission:response":
      return { status: "running", ...(type === "bash-confirm" ? { type: "bash" } : {}) };
    case "tool:execution:progress": {
      const { title, metadata } = event.progress;
      return title === undefined ? metadata && {} : { title };
    }
    default: {
      const { error, content, output } = event.outcome.result;
      const toolAgentResult = type === "delegate" ? agentResultOf(output) : undefined;
      return {
        ...{ title: event.title, type: type === "bash-confirm" ? "bash" : type },
        ...(error
          ? { status: "failed", error: errorText(error) }
          : { status: "completed", result: contentsText(content) }),
        ...(toolAgentResult ? { toolAgentResult } : {}),
      };
    }
  }
}

const isCallEvent = (event: { readonly type: string }): event is CallEvent => event.type.startsWith("tool:");

/** A whole piece of what a model said. */
interface Words {
  readonly type: string;
  readonly text: string;
}

/** The complete part in an event of a model, if it is one of text. */
function wordsIn(event: object): readonly Words[] {
  const part = (event as { readonly event?: { readonly type?: string; readonly part?: Partial<Words> } }).event?.part;
  return typeof part?.type === "string" && typeof part.text === "string" ? [part as Words] : [];
}

const STEP_TYPES: readonly string[] = ["bash", "read", "write", "edit", "glob", "grep", "skill", "delegate"];

const typeOf = (tool: string): StepType =>
  (STEP_TYPES.includes(tool.toLowerCase()) ? tool.toLowerCase() : "tool_call") as StepType;

/** The report of a delegation. A failed one has it, too. */
function agentResultOf(output: unknown): Step["toolAgentResult"] {
  const report = output as Partial<NonNullable<Step["toolAgentResult"]>> | null | undefined;
  if (typeof report?.success !== "boolean" || typeof report.summary !== "string") return undefined;
  const { success, summary, toolCallCount = 0, filesModified = [], errors = [] } = report;
  return {
    ...{ success, summary, toolCallCount },
    ...(filesModified.length > 0 ? { filesModified } : {}),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

/** A callback's failure is its own. */
function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // Ignored: it must not affect the call, nor the other callbacks.
  }
}
