import { statusOf } from "../../executor/call.ts";
import { type Content, contentsText, contentText, errorText, type Result } from "../../tool/index.ts";
import { modelContent } from "../model-content.ts";
import { isImageType, NO_OUTPUT, PDF, unwrapResource } from "../result-media.ts";
import type { AiSdkContent, AiSdkModelOutput } from "./wire.ts";

/** A result as the AI SDK passes it to the model. Failures become text; images and PDFs become files. */
export function aiSdkModelOutput(result: Result): AiSdkModelOutput {
  const { error } = result;
  if (error && statusOf(result) === "denied") return { type: "execution-denied", reason: errorText(error) };
  const content = modelContent(result);
  if (error) return { type: "error-text", value: contentsText(content) || errorText(error) };
  const parts = content.map(unwrapResource);
  if (!parts.some(isFile)) return { type: "text", value: contentsText(parts) || NO_OUTPUT };
  return { type: "content", value: parts.map(partOf) };
}

function partOf(content: Content): AiSdkContent {
  if (!isFile(content)) return { type: "text", text: contentText(content) };
  const { mediaType, data } = content;
  const filename = content.type === "document" && content.name !== undefined ? { filename: content.name } : {};
  return { type: "file", mediaType, data: { type: "data", data }, ...filename };
}

const isFile = (content: Content): content is Extract<Content, { type: "image" | "document" }> =>
  (content.type === "image" && isImageType(content.mediaType)) ||
  (content.type === "document" && content.mediaType === PDF);
