import { aiSdkModelOutput, isImageType, modelContent, type WireNames } from "@haft/core/adapter";
import { type Content, contentText, text } from "@haft/core/tool";
import type { JSONValue, ModelMessage } from "ai";
import type { AssistantPart, Message, ProviderMeta, ResultPart } from "./message.ts";

/**
 * The place of images of results. `inline`: into the result. `after`: in a message after all results of the turn, since chat
 * completions allow only text in results.
 */
export type ResultMedia = "inline" | "after";

/** How a conversation is converted for one request. */
export interface Writing {
  readonly names: WireNames;
  readonly media: ResultMedia;
  /** Tools whose definitions this request contains as withheld. A result may refer only to these. */
  readonly keptBack: ReadonlySet<string>;
}

/** A conversation in the AI SDK's format. Call inputs are sent back unchanged. */
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

/** Images and documents must not be sent as base64 text: it costs thousands of tokens and shows nothing. */
function withoutImage(content: Content): Content {
  if (isImage(content)) return text(`${contentText(content)}, in the next message`);
  return content.type === "document" ? text(`${contentText(content)}, which this model cannot see`) : content;
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
  // A refusal's text is also sent as an error, which every provider's wire format supports.
  const output = status === "ok" ? aiSdkModelOutput({ content }) : { type: "error-text" as const, value: words };
  return { type: "tool-result", toolCallId: callId, toolName, output };
}

/** The form in which Anthropic loads a withheld definition for the model. A result must not contain anything else with it. */
const referenceTo = (toolName: string) => ({
  type: "custom" as const,
  providerOptions: { anthropic: { type: "tool-reference", toolName } },
});

const optionsOf = (meta: ProviderMeta | undefined) =>
  meta ? { providerOptions: meta as Record<string, Record<string, JSONValue>> } : {};
