import { modelContent } from "@haft/core/adapter";
import type { CallOutcome } from "@haft/core/executor";
import type { Entry } from "@haft/core/registry";
import { type Content, contentText, text } from "@haft/core/tool";
import type { McpOutput } from "@haft/mcp";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { outputSchema } from "./tool-list.ts";

/** Creates the address where the client can read the target of a result's link. */
export type LinkTo = (uri: string) => string;

/**
 * The result of a call in MCP form. Without `linkTo`, the client does not support links, and text says where things
 * are.
 */
export function mcpResult(
  { result, decision }: Pick<CallOutcome, "result" | "decision">,
  entry: Entry | undefined,
  linkTo: LinkTo | undefined,
): CallToolResult {
  const { error } = result;
  // The content of an upstream server passes unchanged: the client knows its origin.
  const content = entry?.source.origin === "mcp" ? result.content : modelContent(result);
  const rules = error?.code === "needs_approval" ? decision?.suggestions[0]?.rules : undefined;
  const cure = rules
    ? [text(`The user can allow it: haft mcp ${rules.map((rule) => `--allow '${rule}'`).join(" ")}`)]
    : [];
  return {
    content: [...content, ...cure].map((block) => mcpContent(block, linkTo)),
    ...(error ? { isError: true } : {}),
    ...structuredContent(result, entry),
  };
}

/**
 * The structured data of a tool that declares an output schema, or of an upstream server that returned some. Only while
 * the text is complete: data is too long when its text is.
 */
function structuredContent({ output, error, spilled }: CallOutcome["result"], entry: Entry | undefined) {
  if (!entry || error) return {};
  const isRemote = entry.source.origin === "mcp" && !spilled;
  const data = outputSchema(entry)
    ? output
    : isRemote
      ? (output as Partial<McpOutput> | undefined)?.structured
      : undefined;
  return isObject(data) ? { structuredContent: data } : {};
}

function mcpContent(block: Content, linkTo: LinkTo | undefined): CallToolResult["content"][number] {
  switch (block.type) {
    case "image":
    case "audio":
      return { type: block.type, data: block.data, mimeType: block.mediaType };
    case "document": {
      const uri = `haft:document/${encodeURIComponent(block.name ?? "document")}`;
      return { type: "resource", resource: { uri, mimeType: block.mediaType, blob: block.data } };
    }
    case "resource": {
      const { uri, mediaType, blob, link } = block;
      const type = mediaType === undefined ? {} : { mimeType: mediaType };
      if (link && linkTo) return { type: "resource_link", uri: linkTo(uri), ...link, ...type };
      const about = { uri, ...type };
      const body = blob === undefined ? { text: block.text ?? "" } : { blob };
      return { type: "resource", resource: { ...about, ...body } };
    }
    default:
      return { type: "text", text: contentText(block) };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
