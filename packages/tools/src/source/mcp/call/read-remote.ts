import type { CallContext } from "@haft/core/tool";
import type { ReadResourceResult } from "@modelcontextprotocol/client";
import { NEVER_MS, type RemoteCall } from "./call-remote.ts";
import { CallDeadline } from "./deadline.ts";

/**
 * Reads a resource as a part of a call: who cancels the call takes the request back, what the server asks meanwhile goes to
 * whoever made the call, and its time is that of the server's calls.
 */
export async function readRemote(
  { server, connection, log, limits }: Omit<RemoteCall, "tool" | "inputSchema">,
  uri: string,
  ctx: CallContext,
): Promise<ReadResourceResult["contents"]> {
  const since = log.said;
  const what = `${uri} of the MCP server "${server}"`;
  const deadline = new CallDeadline(what, limits, ctx.signal, () => log.text(since));
  const { signal } = deadline;
  try {
    const onprogress = (): void => deadline.alive();
    const request = { cacheMode: "bypass", timeout: NEVER_MS, signal, onprogress } as const;
    const { contents } = await connection.request(signal, ({ client }) =>
      connection.during(ctx, deadline, () => client.readResource({ uri }, request)),
    );
    return contents;
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  } finally {
    deadline.stop();
  }
}
