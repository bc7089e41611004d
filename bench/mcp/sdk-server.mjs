// The SDK's own low-level server with the schemas ready, on stdio or over HTTP: what the bench compares with.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { definitions } from "./tools.mjs";

// The versions that the product uses stand beside it.
const { resolve } = createRequire(new URL("../../packages/haft/package.json", import.meta.url));
const load = (name) => import(pathToFileURL(resolve(name)).href.replace(/\.cjs$/, ".mjs"));
const { Server, createMcpHandler } = await load("@modelcontextprotocol/server");

function server() {
  const server = new Server({ name: "sdk", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: definitions }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: params.arguments.text }],
  }));
  return server;
}

if (process.argv[2] === "http") {
  const { getRequestListener } = await load("@hono/node-server");
  const handler = createMcpHandler(server);
  const listener = getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false });
  const http = createServer(listener).listen(0, "127.0.0.1", () => {
    console.log(JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/mcp` }));
  });
} else {
  const { serveStdio } = await load("@modelcontextprotocol/server/stdio");
  serveStdio(server);
}
