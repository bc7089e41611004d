import { wireNames } from "@haft/core/adapter";
import { type Schema, toParameters } from "@haft/core/schema";
import { fail } from "@haft/core/tool";
import type { JSONSchema7, jsonSchema, LanguageModel, TextStreamPart, ToolSet } from "ai";
import type { CallPart, ProviderMeta } from "./message.ts";
import type { FinishReason, Model, ModelEvent, ModelRequest, Usage } from "./model.ts";
import { modelMessages, type ResultMedia } from "./model-messages.ts";
import { loadSdk } from "./provider/load-sdk.ts";

export interface AiSdkModelOptions {
  /** Number of retries for requests that failed before any output. Default 2. */
  readonly maxRetries?: number;
  readonly maxOutputTokens?: number;
  /** The place of images of results; `after` for servers that accept only text in a result. Default `inline`. */
  readonly resultMedia?: ResultMedia;
  /**
   * The model runs at Anthropic's own API. Deferred tools are withheld there (where `withholdsTools`), and the shared
   * prefix of requests is cached.
   */
  readonly anthropic?: { readonly withholdsTools: boolean };
}

/**
 * A model of the AI SDK, one step at a time. The SDK never sees how a tool runs: it gets names, descriptions and schemas.
 * It validates nothing, so the pipeline receives exactly what the model wrote.
 */
export function aiSdkModel(name: string, model: LanguageModel, options: AiSdkModelOptions = {}): Model {
  const names = wireNames();
  const withholdsTools = options.anthropic?.withholdsTools ?? false;

  async function* step({
    system,
    messages,
    tools,
    signal,
    maxOutputTokens = options.maxOutputTokens,
    effort,
  }: ModelRequest): AsyncGenerator<ModelEvent> {
    const sdk = await loadAiSdk();
    const keptBack = new Set(withholdsTools ? tools.flatMap(({ name, isDeferred }) => (isDeferred ? [name] : [])) : []);
    const offered: ToolSet = Object.fromEntries(
      tools.map(({ name, description, input }) => [
        names.toWire(name),
        { description, inputSchema: uncheckedSchema(sdk.jsonSchema, input), ...(keptBack.has(name) ? KEPT_BACK : {}) },
      ]),
    );
    const reader = new StreamReader((wire) => names.toTool(wire));
    try {
      const { stream } = sdk.streamText({
        model,
        ...(system === "" ? {} : { instructions: system }),
        messages: modelMessages(messages, { names, media: options.resultMedia ?? "inline", keptBack }),
        ...(options.anthropic ? { providerOptions: CACHED } : {}),
        tools: offered,
        abortSignal: signal,
        maxRetries: options.maxRetries ?? 2,
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
        ...(effort === undefined ? {} : { reasoning: effort }),
        // Errors also arrive as parts; the default would print them, too.
        onError: () => {},
      });
      for await (const part of stream) yield* reader.read(part);
      yield* reader.close(signal.aborted ? signal.reason : undefined);
    } catch (error) {
      yield* reader.close(error);
    }
  }

  return { name, withholdsTools, step };
}

const KEPT_BACK = { providerOptions: { anthropic: { deferLoading: true } } };
const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Opening a model does not wait for the SDK to load. */
export async function loadAiSdk(load: () => Promise<typeof import("ai")> = () => import("ai")) {
  const sdk = await loadSdk("ai", load);
  if ("isStepCount" in sdk) return sdk;
  return fail(
    "validation_failed",
    "Haft's own agent needs version 7 of the AI SDK; an older one is installed.",
    'Run: npm install ai@7, or keep your version, run the loop yourself and spread haft.for("ai-sdk-6") into it.',
  );
}

const uncheckedSchema = (make: typeof jsonSchema, schema: Schema) =>
  make<unknown>(toParameters(schema.json) as JSONSchema7);

interface OpenCall {
  readonly tool: string;
  /** The arguments so far. */
  json: string;
  meta?: ProviderMeta;
}

/** Turns the parts of the SDK's stream into events. */
class StreamReader {
  readonly #toTool: (wire: string) => string;
  readonly #texts = new Map<string, { text: string; meta?: ProviderMeta }>();
  readonly #open = new Map<string, OpenCall>();
  // The provider calls them complete, but they are empty or not JSON: cut by the length limit, or intended. The following events decide.
  #doubtful: CallPart[] = [];
  #ended = false;

  constructor(toTool: (wire: string) => string) {
    this.#toTool = toTool;
  }

  /** Cuts all open parts. Ends with an error unless the message was complete. */
  close(error: unknown): readonly ModelEvent[] {
    if (this.#ended) return [];
    return [...this.#cutOpen("broken"), { type: "error", error: error ?? new Error("The stream ended too early.") }];
  }

  #flush(cut?: "length"): ModelEvent[] {
    const events = this.#doubtful.map(
      (part): ModelEvent => ({
        type: "part",
        key: `call:${part.id}`,
        part: cut ? { ...part, cut } : part,
      }),
    );
    this.#doubtful = [];
    return events;
  }

  /** Adds to a text. Provider metadata may come with any piece of it, a signature usually with the last. */
  #note(part: TextPiece, more: string): { readonly text: string; readonly meta?: ProviderMeta } {
    const before = this.#texts.get(keyOf(part)) ?? { text: "" };
    const meta = mergeMeta(before.meta, metaOf(part.providerMetadata));
    const after = { text: before.text + more, ...(meta ? { meta } : {}) };
    this.#texts.set(keyOf(part), after);
    return after;
  }

  read(part: TextStreamPart<ToolSet>): readonly ModelEvent[] {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#texts.set(keyOf(part), { text: "" });
        this.#note(part, "");
        return this.#flush();
      case "text-delta":
      case "reasoning-delta": {
        this.#note(part, part.text);
        const of = part.type === "text-delta" ? "text" : "reasoning";
        return part.text === "" ? [] : [{ type: "delta", key: keyOf(part), of, text: part.text }];
      }
      case "text-end":
      case "reasoning-end": {
        const { text, meta } = this.#note(part, "");
        const type = part.type === "text-end" ? "text" : "reasoning";
        if (text === "" && (type === "text" || meta === undefined)) return [];
        return [{ type: "part", key: keyOf(part), part: { type, text, ...(meta ? { meta } : {}) } }];
      }
      case "tool-input-start": {
        const tool = this.#toTool(part.toolName);
        this.#open.set(part.id, { tool, json: "" });
        return [...this.#flush(), { type: "call-started", key: `call:${part.id}`, id: part.id, tool }];
      }
      case "tool-input-delta": {
        const call = this.#open.get(part.id);
        if (!call || part.delta === "") return [];
        call.json += part.delta;
        return [{ type: "arguments", key: `call:${part.id}`, text: part.delta }];
      }
      case "tool-call":
        return part.providerExecuted ? [] : this.#takeCall(part);
      case "finish-step":
        return this.#flush(part.finishReason === "length" ? "length" : undefined);
      case "finish": {
        this.#ended = true;
        const cut = this.#cutOpen("length");
        return [...cut, { type: "finish", reason: reasonOf(part.finishReason), usage: usageOf(part.totalUsage) }];
      }
      case "error":
        this.#ended = true;
        return [...this.#cutOpen("broken"), { type: "error", error: part.error }];
      case "abort":
        this.#ended = true;
        return [
          ...this.#cutOpen("broken"),
          { type: "error", error: new Error(part.reason ?? "The request was aborted.") },
        ];
      default:
        return [];
    }
  }

  #takeCall(part: Extract<TextStreamPart<ToolSet>, { type: "tool-call" }>): readonly ModelEvent[] {
    const streamed = this.#open.get(part.toolCallId)?.json ?? "";
    this.#open.delete(part.toolCallId);
    const meta = metaOf(part.providerMetadata);
    const isObject = typeof part.input === "object" && part.input !== null;
    const call: CallPart = {
      type: "tool-call",
      id: part.toolCallId,
      tool: this.#toTool(part.toolName),
      input: isObject ? part.input : {},
      ...(isObject ? {} : { json: typeof part.input === "string" ? part.input : JSON.stringify(part.input) }),
      ...(meta ? { meta } : {}),
    };
    const isWhole = isObject && (streamed.trim() !== "" || Object.keys(call.input as object).length > 0);
    if (isWhole) return [...this.#flush(), { type: "part", key: `call:${call.id}`, part: call }];
    const before = this.#flush();
    this.#doubtful.push(call);
    return before;
  }

  #cutOpen(cut: "length" | "broken"): readonly ModelEvent[] {
    const doubts = this.#doubtful.map((part) => ({ ...part, cut }));
    const halves = [...this.#open].map(([id, { tool }]): CallPart => ({ type: "tool-call", id, tool, input: {}, cut }));
    this.#doubtful = [];
    this.#open.clear();
    return [...doubts, ...halves].map((part) => ({ type: "part", key: `call:${part.id}`, part }));
  }
}

interface TextPiece {
  readonly type: string;
  readonly id: string;
  readonly providerMetadata?: unknown;
}

function mergeMeta(a: ProviderMeta | undefined, b: ProviderMeta | undefined): ProviderMeta | undefined {
  if (!a || !b) return a ?? b;
  return { ...a, ...Object.fromEntries(Object.entries(b).map(([key, value]) => [key, { ...a[key], ...value }])) };
}

const keyOf = (part: TextPiece): string => `${part.type.startsWith("text") ? "text" : "reasoning"}:${part.id}`;

const metaOf = (meta: unknown): ProviderMeta | undefined =>
  typeof meta === "object" && meta !== null && Object.keys(meta).length > 0 ? (meta as ProviderMeta) : undefined;

function reasonOf(reason: string): FinishReason {
  if (reason === "stop" || reason === "length") return reason;
  if (reason === "tool-calls") return "calls";
  return reason === "content-filter" ? "filtered" : "other";
}

function usageOf(usage: {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly inputTokenDetails?: {
    readonly cacheReadTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
  };
}): Usage {
  const { inputTokens, outputTokens, inputTokenDetails } = usage;
  const { cacheReadTokens: cachedTokens, cacheWriteTokens } = inputTokenDetails ?? {};
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  };
}
