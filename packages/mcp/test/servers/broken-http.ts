import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

const JSON_TYPE = { "content-type": "application/json" };
const EVENTS = { "content-type": "text/event-stream" };
const text = (words: string) => ({ content: [{ type: "text", text: words }] });
const answerOf = (id: number, words = "ok") => JSON.stringify({ result: text(words), jsonrpc: "2.0", id });

/** Answers of a broken server to a call, by the name of its tool. Written by hand, for no SDK would do so. */
const broken: Readonly<Record<string, (response: ServerResponse, id: number) => void>> = {
  garbage: (response) => response.writeHead(200, JSON_TYPE).end("{oops"),
  nothing: (response, id) => response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id })),
  word: (response, id) => response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id, error: "no" })),
  page: (response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Log in</h1>"),
  elsewhere: (response) => response.writeHead(302, { location: "http://evil.example/mcp" }).end(),
  other: (response, id) => response.writeHead(200, JSON_TYPE).end(answerOf(id + 1_000)),
  idless: (response) =>
    response
      .writeHead(200, JSON_TYPE)
      .end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_700, message: "cannot read" } })),
  otherEvent: (response, id) => response.writeHead(200, EVENTS).end(`data: ${answerOf(id + 1_000)}\n\n`),
  cutEvent: (response, id) => response.writeHead(200, EVENTS).end(`data: ${answerOf(id).slice(0, -10)}`),
  noEvent: (response) => response.writeHead(200, EVENTS).end(": nothing\n\n"),
  brokenOff: (response, id) =>
    response.writeHead(200, EVENTS).write(`data: ${answerOf(id).slice(0, -10)}`, () => response.destroy()),
  dropped: (response) => response.destroy(),
  longEvent: (response, id) =>
    response.writeHead(200, EVENTS).end(`event: message\ndata: ${answerOf(id, "w".repeat(300_000))}\n\n`),
  taken: (response) => response.writeHead(202).end(),
  failure: (response) => response.writeHead(500).end("boom"),
};

/** A server of the older protocol over HTTP whose answers to calls are none; that to `sound` is one. */
export async function brokenHttpServer() {
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "broken", version: "1" },
    },
    "tools/list": {
      tools: [...Object.keys(broken), "sound"].map((name) => ({ name, inputSchema: { type: "object" } })),
    },
    "tools/call": { content: [{ type: "text", text: "ok" }] },
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await textOf(request)) as Request;
    if (id === undefined) return void response.writeHead(202).end();
    const special = method === "tools/call" ? broken[params?.name ?? ""] : undefined;
    if (special) return special(response, id);
    const result = results[method];
    const body = result ? { result } : { error: { code: -32601, message: "no such method" } };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    /** Tools whose calls get no answer that is one. */
    wrong: Object.keys(broken),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
