import type { Offered } from "@haft/core/registry";
import type { AssistantPart, Message } from "./message.ts";

/** One request to a model. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Offered[];
  readonly signal: AbortSignal;
  /** Most tokens of the answer. Default: the model's limit. */
  readonly maxOutputTokens?: number;
  /** How much the model thinks. Default: the provider's. */
  readonly effort?: Effort;
}

/** Words for how much a model thinks, from little to much. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

export type Effort = (typeof EFFORTS)[number];

/** Tokens of one request, as far as the provider reports them. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of `inputTokens`: read from the provider's cache. */
  readonly cachedTokens?: number;
  /** Part of `inputTokens`: written to the provider's cache. */
  readonly cacheWriteTokens?: number;
}

/**
 * Streamed output of a request. A `part` is complete and enters the conversation. A `delta` is for display and precedes the
 * part with the same key. A call becomes a `part` as soon as its arguments are complete, while the message still streams.
 * The last event is `finish` or `error`; a stream that stops without either counts as an error.
 */
export type ModelEvent =
  | { readonly type: "delta"; readonly key: string; readonly of: "text" | "reasoning"; readonly text: string }
  | { readonly type: "call-started"; readonly key: string; readonly id: string; readonly tool: string }
  /** A piece of a call's arguments, for display: JSON that is not complete yet. */
  | { readonly type: "arguments"; readonly key: string; readonly text: string }
  | { readonly type: "part"; readonly key: string; readonly part: AssistantPart }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage?: Usage }
  | { readonly type: "error"; readonly error: unknown };

/** Why a message of the model ended. */
export type FinishReason = "stop" | "calls" | "length" | "filtered" | "other";

/** A language model: everything that the loop needs from a provider. */
export interface Model {
  /** `provider/name`, for display. */
  readonly name: string;
  /** The provider itself hides deferred tools from the model until a result loads them. */
  readonly withholdsTools?: boolean;
  /** One step. Errors come as an event; the iteration itself does not throw. */
  step(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** The model with another default for how much it thinks. */
export const withEffort = (model: Model, effort: Effort | undefined): Model =>
  effort === undefined ? model : { ...model, step: (request) => model.step({ effort, ...request }) };
