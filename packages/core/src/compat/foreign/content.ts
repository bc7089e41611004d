import { type Content, fail, text, toJson } from "../../tool/index.ts";

type Block = Readonly<Record<string, unknown>>;

const isBlocks = (value: unknown): value is readonly Block[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => typeof one === "object" && typeof one?.type === "string");

/** An output of any SDK as content: text, blocks of text and pictures, anything else as JSON. */
export function contentOf(output: unknown): readonly Content[] {
  if (typeof output === "string") return [text(output)];
  if (isBlocks(output)) return output.map(blockOf);
  return output === undefined ? [] : [{ type: "json", value: output }];
}

function blockOf(block: Block): Content {
  const source = (block.source ?? block.image ?? block) as Block;
  const data = source.data;
  const mediaType = source.mediaType ?? source.mimeType ?? source.media_type ?? source.mime_type;
  if (block.type === "text" && typeof block.text === "string") return text(block.text);
  if (typeof data === "string" && typeof mediaType === "string") {
    if (block.type === "audio") return { type: "audio", data, mediaType };
    return mediaType.startsWith("image/") ? { type: "image", data, mediaType } : { type: "document", data, mediaType };
  }
  return text(toJson(block));
}

/** The content of an MCP result. @throws HaftError when the result says that the tool failed. */
export function mcpContent(result: unknown): unknown {
  const { content, isError, structuredContent } = (result ?? {}) as Block;
  const words = (content ?? structuredContent) as unknown;
  if (isError !== true) return words;
  const said = contentOf(words).map((one) => (one.type === "text" ? one.text : toJson(one)));
  return fail("execution_failed", said.join("\n") || "The tool failed without giving a reason.");
}
