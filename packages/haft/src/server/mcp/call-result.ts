import type { CallOutcome } from "@haft/core/executor";
import { type Content, contentText, text } from "@haft/core/tool";
import type { CallToolResult } from "@modelcontextprotocol/server";

/** The end of a call in MCP's words. `structured`: the tool has told the schema of its output. */
export function mcpResult({ result, decision }: CallOutcome, structured: boolean): CallToolResult {
  const { content, output, error } = result;
  const rules = error?.code === "needs_approval" ? decision?.suggestions[0]?.rules : undefined;
  const cure = rules
    ? [text(`The user can allow it: haft mcp ${rules.map((rule) => `--allow '${rule}'`).join(" ")}`)]
    : [];
  return {
    content: [...content, ...cure].map(mcpContent),
    ...(error ? { isError: true } : {}),
    ...(structured && !error && isObject(output) ? { structuredContent: output } : {}),
  };
}

function mcpContent(block: Content): CallToolResult["content"][number] {
  switch (block.type) {
    case "image":
    case "audio":
      return { type: block.type, data: block.data, mimeType: block.mediaType };
    case "document": {
      const uri = `haft:document/${encodeURIComponent(block.name ?? "document")}`;
      return { type: "resource", resource: { uri, mimeType: block.mediaType, blob: block.data } };
    }
    case "resource": {
      const { uri, mediaType, blob } = block;
      const about = { uri, ...(mediaType === undefined ? {} : { mimeType: mediaType }) };
      const body = blob === undefined ? { text: block.text ?? "" } : { blob };
      return { type: "resource", resource: { ...about, ...body } };
    }
    default:
      return { type: "text", text: contentText(block) };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
