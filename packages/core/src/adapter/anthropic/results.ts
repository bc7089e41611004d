import { type Content, contentText, type Result } from "../../tool/index.ts";
import { isImageType, NO_OUTPUT, PDF, unwrapResource } from "../result-media.ts";
import type { AnthropicResultContent, AnthropicToolResult } from "./wire.ts";

/** A result as the block that answers its call. Images and PDFs go as such, everything else as text. */
export function anthropicResult(id: string, result: Result): AnthropicToolResult {
  const content = result.content.map(blockOf).filter((block) => block.type !== "text" || block.text !== "");
  return {
    type: "tool_result",
    tool_use_id: id,
    // An empty result is refused where `is_error` is set, and says nothing to a model anywhere.
    content: content.length > 0 ? content : [{ type: "text", text: NO_OUTPUT }],
    ...(result.error ? { is_error: true } : {}),
  };
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
