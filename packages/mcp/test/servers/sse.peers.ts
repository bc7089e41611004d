import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";

/** A server of the protocol's first HTTP: a stream of events at /sse, and messages to /messages, or where `endpoint` says. */
export async function sseServer(endpoint?: string) {
  const sessions = new Map<string, SSEServerTransport>();
  const http = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method === "GET" && url.pathname === "/sse" && endpoint) {
      const events = response.writeHead(200, { "content-type": "text/event-stream" });
      return void events.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    }
    if (request.method === "GET" && url.pathname === "/sse") {
      const transport = new SSEServerTransport("/messages", response);
      sessions.set(transport.sessionId, transport);
      const server = new McpServer({ name: "old", version: "1" }, { capabilities: {} });
      server.tool("hello", "Greet.", () => ({ content: [{ type: "text" as const, text: "hello over events" }] }));
      server.tool("cut", "Hang up.", () => {
        response.destroy();
        return new Promise<never>(() => {});
      });
      return server.connect(transport);
    }
    const session = sessions.get(url.searchParams.get("sessionId") ?? "");
    if (request.method === "POST" && session) return session.handlePostMessage(request, response);
    response.writeHead(url.pathname === "/sse" ? 405 : 404).end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
