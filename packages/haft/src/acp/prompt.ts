import { fileURLToPath } from "node:url";
import type { ContentBlock, StopReason } from "@agentclientprotocol/sdk";
import type { Content } from "@haft/core/tool";
import type { AgentEnd } from "../agent/index.ts";

/** A prompt of the editor: its text, and images to send along. */
export interface ReadPrompt {
  readonly text: string;
  readonly images: readonly Content[];
}

/**
 * Reads a prompt. A link to a file becomes a mention, so that the file is read through Haft. The text of an embedded resource
 * is quoted with its address.
 */
export function readPrompt(blocks: readonly ContentBlock[]): ReadPrompt {
  const images: Content[] = [];
  const parts: string[] = [];
  for (const block of blocks) {
    if (block.type === "text") parts.push(block.text);
    else if (block.type === "image") images.push({ type: "image", data: block.data, mediaType: block.mimeType });
    else if (block.type === "resource_link") parts.push(mention(block.uri));
    else if (block.type === "resource" && "text" in block.resource)
      parts.push(`\n<file uri="${block.resource.uri}">\n${block.resource.text}\n</file>\n`);
  }
  return { text: parts.join(""), images };
}

function mention(uri: string): string {
  if (!uri.startsWith("file:") || !URL.canParse(uri)) return uri;
  const path = fileURLToPath(new URL(uri));
  return /\s/.test(path) ? `@"${path}"` : `@${path}`;
}

/** Why a turn ended, in the protocol's words. */
export function stopReason({ reason }: AgentEnd): StopReason {
  switch (reason) {
    case "cancelled":
      return "cancelled";
    case "max_turns":
      return "max_turn_requests";
    case "refused":
      return "refusal";
    default:
      return "end_turn";
  }
}
