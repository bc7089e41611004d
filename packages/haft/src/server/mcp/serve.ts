import { Server } from "@modelcontextprotocol/server";
import { type StdioServerHandle, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Haft } from "../../app/haft.ts";
import { mcpResult } from "./call-result.ts";
import { reportProgress } from "./progress.ts";
import { mcpTools, outputSchema } from "./tool-list.ts";

export interface ServeOptions {
  readonly version: string;
  /** Hears what went wrong beside the protocol. */
  readonly onError?: (error: Error) => void;
}

/**
 * Serves the tools of a Haft on standard input and output, in both eras of the protocol. Every call goes through the
 * whole pipeline under this process's policy; the client cannot loosen it. Nothing else may write to standard output.
 */
export function serveMcp(haft: Haft, { version, onError }: ServeOptions): StdioServerHandle {
  return serveStdio(() => createServer(haft, version), onError ? { onerror: onError } : {});
}

/** A server over the tools of a Haft, not yet connected. */
export function createServer(haft: Haft, version: string): Server {
  const server = new Server(
    { name: "haft", title: "Haft", version },
    {
      capabilities: { tools: {} },
      instructions: "Calls are decided by the rules of the user. A refused call says what would allow it.",
    },
  );
  let calls = 0;

  server.setRequestHandler("tools/list", async () => ({ tools: mcpTools((await haft.offer()).tools) }));

  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const id = `mcp-${++calls}`;
    const silence = reportProgress(haft, id, ctx);
    try {
      const request = { id, tool: params.name, input: params.arguments ?? {} };
      const [outcome] = await haft.run([request], { signal: ctx.mcpReq.signal });
      const entry = haft.registry.get(params.name);
      return mcpResult(outcome!, entry !== undefined && outputSchema(entry) !== undefined);
    } finally {
      silence();
    }
  });
  return server;
}
