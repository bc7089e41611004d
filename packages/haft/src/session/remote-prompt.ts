import { once } from "node:events";
import { contentsText } from "@haft/core/tool";
import type { Haft } from "../app/haft.ts";

/** A prompt of an MCP server, filled in by the server, as text for the model. */
export async function remotePromptText(
  haft: Pick<Haft, "mcp">,
  { command, rest }: { readonly command: string; readonly rest: string },
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  await Promise.race([haft.mcp.settled(WAIT_MS), once(signal, "abort")]);
  signal.throwIfAborted();
  const { messages } = await haft.mcp.prompt(command, rest, signal);
  return messages
    .map(({ role, content }) => `${role === "assistant" ? "Assistant: " : ""}${contentsText([content])}`)
    .join("\n\n");
}

/** Milliseconds that a prompt waits for connecting servers. */
const WAIT_MS = 30_000;
