import type { Offered } from "@haft/core/registry";
import type { AssistantPart, Message } from "./message.ts";

/** One request to a model. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Offered[];
  readonly signal: AbortSignal;
  /** Most tokens of the answer. Default: what the model allows. */
  readonly maxOutputTokens?: number;
}

/** Tokens of one request, as far as the provider tells. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
}

/**
 * What comes of a request, as it comes. `part` is complete and goes into the conversation; a `delta` is for people and
 * announces the part with the same key. A call is a `part` as soon as its arguments are complete, while the message
 * still streams. The last event is `finish` or `error`; a stream that just stops counts as an error.
 */
export type ModelEvent =
  | { readonly type: "delta"; readonly key: string; readonly of: "text" | "reasoning"; readonly text: string }
  | { readonly type: "call-started"; readonly key: string; readonly id: string; readonly tool: string }
  | { readonly type: "part"; readonly key: string; readonly part: AssistantPart }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage?: Usage }
  | { readonly type: "error"; readonly error: unknown };

export type FinishReason = "stop" | "calls" | "length" | "filtered" | "other";

/** A language model: the one thing that the loop needs of a provider. */
export interface Model {
  /** `provider/name`, for people. */
  readonly name: string;
  /** The provider itself keeps tools that are marked as deferred from the model, until a result says that it loads them. */
  readonly withholdsTools?: boolean;
  /** One step. Errors come as an event; the iteration itself does not throw. */
  step(request: ModelRequest): AsyncIterable<ModelEvent>;
}
