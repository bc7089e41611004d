/**
 * The types of Anthropic's Messages API that concern tools, as structures. The SDK's own types fit them (a test checks
 * it), and so does plain JSON from the wire.
 */
import type { ImageType } from "../result-media.ts";

/** A breakpoint of the prompt cache; without `ttl` it lasts five minutes. */
export interface AnthropicCacheControl {
  type: "ephemeral";
  ttl?: "5m" | "1h";
}

/** An entry of the request's `tools`. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
  cache_control?: AnthropicCacheControl;
  /** The model gets the definition only when a result refers to it. */
  defer_loading?: true;
}

/** An answer of the model: only the content and the stop reason matter here. */
export interface AnthropicMessage {
  readonly id?: string;
  readonly content: readonly { readonly type: string }[];
  readonly stop_reason?: string | null;
}

/** One call within the content. */
export interface AnthropicToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A block of a result. */
export type AnthropicResultContent =
  | { type: "text"; text: string }
  | { type: "tool_reference"; tool_name: string }
  | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } }
  | { type: "document"; source: { type: "base64"; media_type: "application/pdf"; data: string }; title?: string };

/** The result of one call. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: AnthropicResultContent[];
  is_error?: true;
}

/** The message that the host appends after the model's. */
export interface AnthropicResults {
  role: "user";
  content: AnthropicToolResult[];
}

/** A raw event of a streamed message. */
export interface AnthropicEvent {
  readonly type: string;
}

/** The content blocks that a stream of such events starts: with the SDK's events, the SDK's block types. */
export type AnthropicBlockOf<E extends AnthropicEvent> =
  Extract<E, { readonly type: "content_block_start" }> extends { readonly content_block: infer Block }
    ? Block
    : { readonly type: string };

/** Whether a block of a message is a call. */
export const isToolUse = (block: { readonly type: string }): block is AnthropicToolUse => block.type === "tool_use";

/** Stop reasons that may leave the last block unfinished. */
const cutting: ReadonlySet<string> = new Set(["max_tokens", "model_context_window_exceeded", "refusal"]);

/** Whether a message with this stop reason may have ended in the middle of a call. */
export const stopsShort = (stopReason: string | null | undefined): boolean =>
  typeof stopReason === "string" && cutting.has(stopReason);
