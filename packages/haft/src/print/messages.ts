import { randomUUID } from "node:crypto";
import { type Content, HaftError } from "@haft/core/tool";
import type { AgentEnd, AssistantPart, Message, ModelEvent, Usage } from "../agent/index.ts";
import { type AgentSession, isCallEvent, type SessionEvent } from "../session/index.ts";
import { createAgentMessages } from "./agent-messages.ts";
import { printCommands } from "./print-turn.ts";

/** One line of the stream. */
export type StreamMessage = Readonly<Record<string, unknown>>;

/** Turns the events of a session into the messages that hosts of the Claude Agent SDK read. */
export interface MessageWriter {
  /** The first message: what the session has. */
  init(): Promise<StreamMessage>;
  take(event: SessionEvent): readonly StreamMessage[];
  /** The words of a command that asked no model. */
  output(content: string): StreamMessage;
  /** The last message of a run. */
  result(end: AgentEnd, startedAt: number): StreamMessage;
}

/** The kinds of agents that the model may start. */
export const agentsOf = ({ haft }: AgentSession) =>
  (haft.agents?.types() ?? []).map(({ name, description }) => ({ name, description }));

/** Haft's modes under the names of the protocol. */
export const modeName = (mode: string): string => (mode === "undoable" ? "default" : mode);

interface WriterOptions {
  readonly isPartial: boolean;
  readonly version: string;
  /** The states of the MCP servers. */
  readonly servers: () => readonly StreamMessage[];
}

export const createMessageWriter = (session: AgentSession, options: WriterOptions): MessageWriter =>
  new MessageLines(session, options);

class MessageLines implements MessageWriter {
  readonly #session: AgentSession;
  readonly #servers: WriterOptions["servers"];
  readonly #isPartial: boolean;
  readonly #version: string;
  readonly #denials: object[] = [];
  readonly #agents = createAgentMessages();
  readonly #partial = createPartials();
  #messageId = "";
  #turn = 0;

  constructor(session: AgentSession, { isPartial, version, servers }: WriterOptions) {
    this.#session = session;
    this.#servers = servers;
    this.#isPartial = isPartial;
    this.#version = version;
  }

  async init(): Promise<Readonly<Record<string, unknown>>> {
    return {
      ...{ type: "system", subtype: "init", cwd: this.#session.haft.cwd, model: this.#model() },
      tools: (await this.#session.haft.offer()).tools.map(({ name }) => name),
      mcp_servers: this.#servers(),
      permissionMode: modeName(this.#session.haft.mode),
      slash_commands: printCommands(this.#session).map(({ name }) => name),
      capabilities: ["interrupt_receipt_v1", "interrupt_cancel_queued_v1"],
      ...{
        apiKeySource: "user",
        output_style: "default",
        agents: agentsOf(this.#session).map(({ name }) => name),
        skills: [],
        plugins: [],
      },
      claude_code_version: this.#version,
      ...this.#base(),
    };
  }

  take(event: SessionEvent): readonly Readonly<Record<string, unknown>>[] {
    const ofAgent = this.#agents(event);
    if (ofAgent) return ofAgent.map((message) => ({ ...message, ...this.#base() }));
    if (event.type === "model") return this.#ofModel(event.event, event.turn);
    if (event.type === "message" && event.message.role === "results") return [resultsOf(event.message, this.#base())];
    if (event.type === "notice") {
      const { message, cure } = event.notice;
      const content = cure === undefined ? message : `${message} ${cure}`;
      return [{ type: "system", subtype: "informational", content, level: "warning", ...this.#base() }];
    }
    if (event.type === "mode")
      return [
        { type: "system", subtype: "status", status: null, permissionMode: modeName(event.mode), ...this.#base() },
      ];
    if (event.type === "compacted")
      return [
        {
          type: "system",
          subtype: "compact_boundary",
          compact_metadata: { trigger: event.reason === "asked" ? "manual" : "auto", pre_tokens: 0 },
          ...this.#base(),
        },
      ];
    if (isCallEvent(event) && event.type === "tool:execution:error" && event.outcome.status === "denied") {
      const { call, outcome } = event;
      this.#denials.push({ tool_name: call.tool, tool_use_id: call.id, tool_input: outcome.input ?? {} });
    }
    return [];
  }

  result(end: AgentEnd, startedAt: number): Readonly<Record<string, unknown>> {
    const { reason, text, turns, usage, why, error } = end;
    this.#turn = 0;
    const isError = reason !== "answered" && reason !== "stopped";
    const isSpent = HaftError.is(error) && error.details?.budget === "money";
    const failure = isSpent ? "error_max_budget_usd" : "error_during_execution";
    const subtype = !isError ? "success" : reason === "max_turns" ? "error_max_turns" : failure;
    const ended = reason === "cancelled" ? "interrupted" : reason;
    const failed = why ?? (error instanceof Error ? error.message : String(error ?? ended));
    const duration = Date.now() - startedAt;
    return {
      ...{ type: "result", subtype, is_error: isError, duration_ms: duration, duration_api_ms: duration },
      ...{ num_turns: turns, stop_reason: isError ? null : "end_turn", total_cost_usd: this.#session.usage.money ?? 0 },
      ...(isError ? { errors: [failed] } : { result: text === "" ? (why ?? "") : text }),
      ...{
        usage: usageOf(usage),
        modelUsage: modelUsageOf(this.#session),
        permission_denials: this.#denials.splice(0),
      },
      ...this.#base(),
    };
  }

  output(content: string): StreamMessage {
    return { type: "system", subtype: "local_command_output", content, ...this.#base() };
  }

  #base() {
    return { session_id: this.#session.id, uuid: randomUUID() };
  }

  #model() {
    return this.#session.model?.name ?? "";
  }

  #assistant(part: AssistantPart): StreamMessage {
    const message = {
      ...{ id: this.#messageId, type: "message", role: "assistant", model: this.#model(), content: [blockOf(part)] },
      ...{ stop_reason: null, stop_sequence: null, usage: usageOf({}) },
    };
    return { type: "assistant", message, parent_tool_use_id: null, ...this.#base() };
  }

  #ofModel(event: ModelEvent, at: number): StreamMessage[] {
    const isNew = at !== this.#turn;
    if (isNew) {
      this.#turn = at;
      this.#messageId = `msg_${randomUUID().replaceAll("-", "")}`;
    }
    const events = this.#isPartial
      ? this.#partial(event, isNew ? { id: this.#messageId, model: this.#model() } : undefined)
      : [];
    const streamed = events.map((one) => ({
      type: "stream_event",
      event: one,
      parent_tool_use_id: null,
      ...this.#base(),
    }));
    return [...streamed, ...(event.type === "part" ? [this.#assistant(event.part)] : [])];
  }
}

/** The result of a message that could not be sent. */
export const unsentResult = (why: string): StreamMessage => ({
  ...{ type: "result", subtype: "error_during_execution", is_error: true, num_turns: 0, stop_reason: null },
  ...{ duration_ms: 0, duration_api_ms: 0, total_cost_usd: 0, usage: usageOf({}), modelUsage: {} },
  ...{ permission_denials: [], errors: [why], uuid: randomUUID() },
});

/** Tokens and money of the session so far. Hosts show the money, so an unknown price counts as none. */
function modelUsageOf({ model, usage }: AgentSession): object {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, money = 0 } = usage;
  if (!model) return {};
  return {
    [model.name]: {
      ...{ inputTokens: inputTokens - cachedTokens, outputTokens, cacheReadInputTokens: cachedTokens },
      ...{ cacheCreationInputTokens: 0, webSearchRequests: 0, costUSD: money, contextWindow: 0 },
    },
  };
}

const usageOf = ({ inputTokens = 0, outputTokens = 0, cachedTokens = 0 }: Usage) => ({
  ...{ input_tokens: inputTokens - cachedTokens, output_tokens: outputTokens },
  ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: cachedTokens },
});

function blockOf(part: AssistantPart): object {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "reasoning") return { type: "thinking", thinking: part.text, signature: "" };
  return { type: "tool_use", id: part.id, name: part.tool, input: part.input ?? {} };
}

function resultsOf({ results }: Extract<Message, { role: "results" }>, base: object): StreamMessage {
  const content = results.map(({ callId, status, content }) => ({
    ...{ type: "tool_result", tool_use_id: callId, content: content.flatMap(contentOf) },
    ...(status === "ok" ? {} : { is_error: true }),
  }));
  return { type: "user", message: { role: "user", content }, parent_tool_use_id: null, ...base };
}

function contentOf(content: Content): object[] {
  if (content.type === "text") return [{ type: "text", text: content.text }];
  if (content.type !== "image") return [];
  return [{ type: "image", source: { type: "base64", media_type: content.mediaType, data: content.data } }];
}

interface Beginning {
  readonly id: string;
  readonly model: string;
}

/** Rebuilds the events of Anthropic's stream, for hosts that show text while it is written. */
function createPartials(): (event: ModelEvent, begins: Beginning | undefined) => readonly object[] {
  let blocks = new Map<string, number>();
  const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
  const delta = (index: number, content: object) => ({ type: "content_block_delta", index, delta: content });

  function opened(key: string, content: object): readonly [number, readonly object[]] {
    const known = blocks.get(key);
    if (known !== undefined) return [known, []];
    const index = blocks.size;
    blocks.set(key, index);
    return [index, [start(index, content)]];
  }

  function eventsOf(event: ModelEvent): readonly object[] {
    switch (event.type) {
      case "delta": {
        const isText = event.of === "text";
        const empty = isText ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
        const [index, begun] = opened(event.key, empty);
        const piece = isText
          ? { type: "text_delta", text: event.text }
          : { type: "thinking_delta", thinking: event.text };
        return [...begun, delta(index, piece)];
      }
      case "call-started":
        return opened(event.key, { type: "tool_use", id: event.id, name: event.tool, input: {} })[1];
      case "part": {
        const { part } = event;
        const empty = part.type === "tool-call" ? { ...blockOf(part), input: {} } : blockOf(part);
        const [index, begun] = opened(event.key, empty);
        const json = part.type === "tool-call" ? JSON.stringify(part.input ?? {}) : undefined;
        const input = json === undefined ? [] : [delta(index, { type: "input_json_delta", partial_json: json })];
        return [...begun, ...input, { type: "content_block_stop", index }];
      }
      case "finish": {
        const stop_reason =
          event.reason === "calls" ? "tool_use" : event.reason === "length" ? "max_tokens" : "end_turn";
        return [
          { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: usageOf(event.usage ?? {}) },
          { type: "message_stop" },
        ];
      }
      default:
        return [];
    }
  }

  return (event, begins) => {
    if (begins) blocks = new Map();
    const message = begins && {
      ...{ ...begins, type: "message", role: "assistant", content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: usageOf({}) },
    };
    return [...(message ? [{ type: "message_start", message }] : []), ...eventsOf(event)];
  };
}
