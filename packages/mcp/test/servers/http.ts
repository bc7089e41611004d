import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

/** Peculiarities of a server over HTTP. */
export interface HttpQuirks {
  /** Sessions of the older protocol, of which the server forgets all at each `forget()`. */
  readonly sessions?: boolean;
  /** A token that every request must carry. */
  readonly token?: string;
}

/** A real MCP server over HTTP on a free port of this machine. */
export async function httpServer(quirks: HttpQuirks = {}) {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "http", version: "1" }, { capabilities: {} });
    server.registerTool("hello", { description: "Greet." }, () => ({
      content: [{ type: "text", text: "hello over http" }],
    }));
    return server;
  });
  let session = 1;
  let initialised = 0;
  const seen: IncomingMessage["headers"][] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    seen.push(request.headers);
    if (quirks.token !== undefined && request.headers.authorization !== `Bearer ${quirks.token}`) {
      response.writeHead(401).end();
      return;
    }
    const body = await textOf(request);
    if (quirks.sessions) return answerInSession(request, response, body);
    const headers = new Headers(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
    const init =
      request.method === "POST" ? { method: "POST", headers, body } : { method: request.method ?? "GET", headers };
    const result = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, init));
    response.writeHead(result.status, Object.fromEntries(result.headers));
    response.end(Buffer.from(await result.arrayBuffer()));
  }

  /** The least that the protocol of 2025 needs, with sessions that can be lost. */
  function answerInSession(request: IncomingMessage, response: ServerResponse, body: string): void {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: { protocolVersion: string };
    };
    const known = request.headers["mcp-session-id"] === `s${session}`;
    if (method !== "initialize" && !known) return void response.writeHead(404).end("no such session");
    if (id === undefined) return void response.writeHead(202).end();
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: "s", version: "1" },
      },
      "tools/list": { tools: [{ name: "hello", inputSchema: { type: "object" } }] },
      "resources/list": { resources: [{ uri: "note://one", name: "one" }] },
      "resources/read": { contents: [{ uri: "note://one", text: `read in session ${session}` }] },
      "prompts/list": { prompts: [{ name: "greet" }] },
      "tools/call": { content: [{ type: "text", text: `session ${session}` }] },
    };
    if (method === "initialize") initialised += 1;
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": `s${session}` });
    const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "unknown" } };
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    initialised: () => initialised,
    forget() {
      session += 1;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
