import type { CallOutcome } from "../../executor/index.ts";
import { type Content, contentText, type Result } from "../../tool/index.ts";
import { modelContent } from "../model-content.ts";
import { isImageType, NO_OUTPUT, PDF, unwrapResource } from "../result-media.ts";
import type { AnthropicResultContent, AnthropicResults, AnthropicToolResult } from "./wire.ts";

/** A result as the block that answers its call. Images and PDFs keep their type, everything else becomes text. */
export function anthropicResult(id: string, result: Result): AnthropicToolResult {
  const content = modelContent(result)
    .map(blockOf)
    .filter((block) => block.type !== "text" || block.text !== "");
  return {
    type: "tool_result",
    tool_use_id: id,
    // The API refuses an empty result with `is_error`, and an empty result never helps a model.
    content: content.length > 0 ? content : [{ type: "text", text: NO_OUTPUT }],
    ...(result.error ? { is_error: true } : {}),
  };
}

/** A call of a message; with `cut`, it was answered with that result instead of running. */
export interface AnsweredCall {
  readonly id: string;
  /** Haft's name of the tool. */
  readonly tool: string;
  readonly cut?: Result;
}

/**
 * The message that answers `calls`, in their order. `outcomes` are those of the batch, in the order in which the calls
 * were passed to it, including the texts of hooks after all of them.
 */
export function anthropicResults(calls: readonly AnsweredCall[], outcomes: readonly CallOutcome[]): AnthropicResults {
  const ran = outcomes.values();
  return { role: "user", content: calls.map(({ id, cut }) => anthropicResult(id, cut ?? ran.next().value!.result)) };
}

function blockOf(content: Content): AnthropicResultContent {
  const item = unwrapResource(content);
  if (item.type === "image" && isImageType(item.mediaType)) {
    return { type: "image", source: { type: "base64", media_type: item.mediaType, data: item.data } };
  }
  if (item.type === "document" && item.mediaType === PDF) {
    const source = { type: "base64" as const, media_type: PDF as "application/pdf", data: item.data };
    return { type: "document", source, ...(item.name === undefined ? {} : { title: item.name }) };
  }
  return { type: "text", text: contentText(item) };
}
