import { randomUUID } from "node:crypto";
import type { ApprovalRequest } from "@haft/core/approval";
import { contentText } from "@haft/core/tool";
import type { ViewEvent } from "../../view/index.ts";

/** An event of AG-UI 1.0, as JSON. */
export interface AgUiEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Maps the events of one run to AG-UI. Texts and calls are opened and closed in order, as the protocol requires. */
export class AgUiRun {
  readonly #threadId: string;
  readonly #runId: string;
  readonly #open = new Map<string, { readonly id: string; readonly of: "text" | "reasoning" }>();
  readonly #announced = new Set<string>();

  constructor(threadId: string, runId: string) {
    this.#threadId = threadId;
    this.#runId = runId;
  }

  started(): AgUiEvent {
    return { type: "RUN_STARTED", threadId: this.#threadId, runId: this.#runId };
  }

  /** The run ends with questions: the client answers them with the `resume` of its next run. */
  interrupted(requests: readonly ApprovalRequest[]): readonly AgUiEvent[] {
    const interrupts = requests.map(interruptOf);
    return [...this.#closed(), this.#finished({ type: "interrupt", interrupts })];
  }

  /** The AG-UI events for an event of the session. */
  map(event: ViewEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case "model":
        return this.#model(event.event);
      case "call":
        return [...this.#closed(), ...this.#call(event.call.id, event.call.tool, event.call.input)];
      case "message":
        return event.message.role === "results"
          ? event.message.results.map(({ callId, content }) => ({
              ...{ type: "TOOL_CALL_RESULT", messageId: `result-${callId}`, toolCallId: callId, role: "tool" },
              content: content.map(contentText).join("\n"),
            }))
          : [];
      case "end": {
        const { reason, why, error } = event.end;
        if (reason !== "error") return [...this.#closed(), this.#finished({ type: "success" })];
        const { message } = (error ?? {}) as { readonly message?: string };
        return [...this.#closed(), { type: "RUN_ERROR", message: message ?? why ?? "The run failed.", code: reason }];
      }
      default:
        return [];
    }
  }

  #finished(outcome: object): AgUiEvent {
    return { type: "RUN_FINISHED", threadId: this.#threadId, runId: this.#runId, outcome };
  }

  #model(event: Extract<ViewEvent, { type: "model" }>["event"]): readonly AgUiEvent[] {
    if (event.type === "delta") return this.#text(event.key, event.of, event.text);
    if (event.type !== "part" || event.part.type === "tool-call") return event.type === "finish" ? this.#closed() : [];
    // Without deltas, the part is the whole text.
    const { type, text } = event.part;
    const events = this.#open.has(event.key) || text === "" ? [] : this.#text(event.key, type, text);
    return [...events, ...this.#close(event.key)];
  }

  #text(key: string, of: "text" | "reasoning", delta: string): readonly AgUiEvent[] {
    if (delta === "") return [];
    const known = this.#open.get(key);
    const { id } = known ?? { id: randomUUID() };
    const word = of === "text" ? "TEXT_MESSAGE" : "REASONING_MESSAGE";
    const content = { type: `${word}_CONTENT`, messageId: id, delta };
    if (known) return [content];
    // One message is open at a time.
    const before = this.#closed();
    this.#open.set(key, { id, of });
    const role = of === "text" ? "assistant" : "reasoning";
    const start = { type: `${word}_START`, messageId: id, role };
    return [...before, ...(of === "text" ? [] : [{ type: "REASONING_START", messageId: id }]), start, content];
  }

  #close(key: string): readonly AgUiEvent[] {
    const open = this.#open.get(key);
    if (!open) return [];
    this.#open.delete(key);
    if (open.of === "text") return [{ type: "TEXT_MESSAGE_END", messageId: open.id }];
    return [
      { type: "REASONING_MESSAGE_END", messageId: open.id },
      { type: "REASONING_END", messageId: open.id },
    ];
  }

  #closed(): readonly AgUiEvent[] {
    return [...this.#open.keys()].flatMap((key) => this.#close(key));
  }

  #call(id: string, tool: string, input: unknown): readonly AgUiEvent[] {
    if (this.#announced.has(id)) return [];
    this.#announced.add(id);
    return [
      { type: "TOOL_CALL_START", toolCallId: id, toolCallName: tool },
      { type: "TOOL_CALL_ARGS", toolCallId: id, delta: JSON.stringify(input ?? {}) },
      { type: "TOOL_CALL_END", toolCallId: id },
    ];
  }
}

const interruptOf = ({ id, title, why, callId, tool, input, effects, show, expiresAt }: ApprovalRequest): object => ({
  ...{ id, toolCallId: callId, reason: "tool_call", message: `${title}. ${why}` },
  responseSchema: {
    type: "object",
    properties: { approved: { type: "boolean" }, message: { type: "string" }, input: { type: "object" } },
    required: ["approved"],
  },
  metadata: { tool, input, effects, show },
  ...(expiresAt === undefined ? {} : { expiresAt }),
});
