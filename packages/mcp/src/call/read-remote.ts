import type { CallContext } from "@haft/core/tool";
import type { ReadResourceResult } from "@modelcontextprotocol/client";
import type { Live } from "../connection/open.ts";
import { explained, NEVER_MS, type RemoteCall } from "./call-remote.ts";
import { CallDeadline } from "./deadline.ts";

/** The server of the resource. */
type Shelf = Omit<RemoteCall, "tool" | "inputSchema">;

/**
 * Reads a resource as a part of a call. Cancelling the call cancels the request. Questions of the server go to the agent that made the
 * call. The timeout is that of the server's calls, without connecting and logging in.
 */
export async function readRemote(shelf: Shelf, uri: string, ctx: CallContext): Promise<ReadResourceResult["contents"]> {
  const { contents } = await shelf.connection.request(ctx.signal, (live) => readOnce(shelf, live, uri, ctx));
  return contents;
}

async function readOnce(
  { server, connection, log, limits }: Shelf,
  live: Live,
  uri: string,
  ctx: CallContext,
): Promise<ReadResourceResult> {
  const since = log.said;
  const what = `${uri} of the MCP server "${server}"`;
  const deadline = new CallDeadline(what, limits, ctx.signal, () => log.text(since));
  const { signal } = deadline;
  const onprogress = (): void => deadline.alive();
  const request = { cacheMode: "bypass", timeout: NEVER_MS, signal, onprogress } as const;
  try {
    return await connection.during(ctx, deadline, () => live.client.readResource({ uri }, request));
  } catch (thrown) {
    signal.throwIfAborted();
    throw explained({ server, log, what, during: `it read ${uri}`, cureOf }, live, thrown, since);
  } finally {
    deadline.stop();
  }
}

/** A server that understood the request gives a number with its refusal. */
const cureOf = (_said: string, status: number | undefined, code: unknown): string =>
  status === undefined && typeof code === "number"
    ? "ListMcpResources lists the resources."
    : "Reading changes nothing: try again, or go on without it or tell the user.";
