import { aiSdkModelOutput, isImageType, modelContent, type WireNames } from "@haft/core/adapter";
import { type Content, contentText, text } from "@haft/core/tool";
import type { JSONValue, ModelMessage } from "ai";
import type { AssistantPart, Message, ProviderMeta, ResultPart } from "./message.ts";

/**
 * Where images of results go. `inline`: into the result. `after`: chat completions know results as text only, so the
 * images follow in a message of their own behind all results of the turn.
 */
export type ResultMedia = "inline" | "after";

/** How a conversation is written down for one request. */
export interface Writing {
  readonly names: WireNames;
  readonly media: ResultMedia;
  /** Tools whose definitions this request brings for the provider to keep back: only to these may a result refer. */
  readonly keptBack: ReadonlySet<string>;
}

/** A conversation as the AI SDK takes it. Inputs of calls go back as they came. */
export function modelMessages(messages: readonly Message[], writing: Writing): ModelMessage[] {
  if (writing.media === "inline") return messages.map((message) => modelMessage(message, writing));
  return messages.flatMap((message) => {
    if (message.role !== "results") return [modelMessage(message, writing)];
    const images = message.results.flatMap(({ content }) => content.filter(isImage));
    const results = message.results.map((result) => ({ ...result, content: result.content.map(withoutImage) }));
    const told = modelMessage({ role: "results", results }, writing);
    if (images.length === 0) return [told];
    const shown: Message = { role: "user", content: [text("The images of the results above, in order:"), ...images] };
    return [told, modelMessage(shown, writing)];
  });
}

const isImage = (content: Content): boolean => content.type === "image" && isImageType(content.mediaType);

/** Neither images nor documents may go as base64 text: it costs thousands of tokens and shows nothing. */
function withoutImage(content: Content): Content {
  if (isImage(content)) return text(`${contentText(content)}, in the next message`);
  return content.type === "document" ? text(`${contentText(content)}, which this model cannot be shown`) : content;
}

function modelMessage(message: Message, writing: Writing): ModelMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content.map(userPart) };
    case "assistant":
      return { role: "assistant", content: message.parts.map((part) => assistantPart(part, writing.names)) };
    case "results":
      return { role: "tool", content: message.results.map((result) => resultPart(result, writing)) };
  }
}

type UserPart = Exclude<Extract<ModelMessage, { role: "user" }>["content"], string>[number];
type ModelPart = Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number];
type ToolPart = Extract<ModelMessage, { role: "tool" }>["content"][number];

function userPart(content: Content): UserPart {
  if (content.type !== "image" && content.type !== "document") return { type: "text", text: contentText(content) };
  return { type: "file", data: { type: "data", data: content.data }, mediaType: content.mediaType };
}

function assistantPart(part: AssistantPart, names: WireNames): ModelPart {
  const provider = optionsOf(part.meta);
  if (part.type !== "tool-call") return { type: part.type, text: part.text, ...provider };
  const { id: toolCallId, tool, input } = part;
  return { type: "tool-call", toolCallId, toolName: names.toWire(tool), input, ...provider };
}

function resultPart(result: ResultPart, writing: Writing): ToolPart {
  const { callId, tool, status, loads = [] } = result;
  const content = modelContent(result);
  const { names, keptBack } = writing;
  const toolName = names.toWire(tool);
  const references = loads.filter((name) => keptBack.has(name)).map((name) => referenceTo(names.toWire(name)));
  if (references.length > 0) {
    const output = { type: "content" as const, value: references };
    return { type: "tool-result", toolCallId: callId, toolName, output };
  }
  const words = content.map(contentText).join("\n");
  // The text of a refusal, too, goes as an error: every provider's wire can say that.
  const output = status === "ok" ? aiSdkModelOutput({ content }) : { type: "error-text" as const, value: words };
  return { type: "tool-result", toolCallId: callId, toolName, output };
}

/** How Anthropic is told to give the model a definition that it has kept back. Nothing else may stand beside it. */
const referenceTo = (toolName: string) => ({
  type: "custom" as const,
  providerOptions: { anthropic: { type: "tool-reference", toolName } },
});

const optionsOf = (meta: ProviderMeta | undefined) =>
  meta ? { providerOptions: meta as Record<string, Record<string, JSONValue>> } : {};
