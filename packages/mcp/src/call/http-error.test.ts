import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { friendly, mcpBench } from "../../test/support/mcp.ts";

/** A server whose one tool is answered with this status and this body. */
async function refusing(status: number, body: string) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const asked = text === "" ? {} : (JSON.parse(text) as { id?: number; method?: string; params?: object });
    const answer = (result: object) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, result }));
    };
    const info = { capabilities: { tools: {} }, serverInfo: { name: "web", version: "1" } };
    if (asked.method === "initialize") answer({ ...info, protocolVersion: "2025-06-18" });
    else if (asked.method === "tools/list") answer({ tools: [{ name: "go", inputSchema: { type: "object" } }] });
    else if (asked.method === "tools/call") response.writeHead(status).end(body);
    else response.writeHead(asked.method?.startsWith("notifications/") ? 202 : 405).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it.each([
  [429, "", /answered with HTTP 429$/, /wait a while/],
  [503, "busy", /answered with HTTP 503: busy$/, /wait a while/],
  [500, `<html>${"e".repeat(1_000_000)}`, /answered with HTTP 500: <html>e+ \[cut\]$/, /may have done part/],
])(
  "Q10 HTTP %s is named with what the server says of it, in few words, and with a cure",
  async (status, body, said, cure) => {
    await using server = await refusing(status, body);
    await using bench = mcpBench();
    bench.manager.add({ name: "web", url: server.url });
    await bench.manager.settled();
    const { error } = (await bench.call("mcp__web__go")).result;
    expect(error?.message).toMatch(said);
    expect(error?.hint).toMatch(cure);
    expect(error!.message.length).toBeLessThan(5_000);
  },
);

/** A program whose tool fails with an error that speaks of a status, as one does that passes on what a website said. */
const code = `
const { appendFileSync } = require("node:fs");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const info = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "web", version: "1" } };
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") return send({ id, result: info });
  if (method === "tools/list") return send({ id, result: { tools: [{ name: "order", inputSchema: { type: "object" } }] } });
  if (method !== "tools/call") return send({ id, error: { code: -32601, message: "no such method" } });
  appendFileSync(process.argv[1], "called " + process.pid + "\\n");
  send({ id, error: { code: -32000, message: "The shop says no.", data: { status: params.arguments.status } } });
});`;

it.each([404, 410, 429, 500])(
  "Q10 a server that speaks of the status %d in its own error has not forgotten us: the call is made once",
  async (status) => {
    await using bench = mcpBench();
    const calls = join(bench.folder, "calls");
    bench.manager.add(friendly({ name: "shop", args: ["-e", code, calls] }));
    await bench.manager.settled();
    const { error } = (await bench.call("mcp__shop__order", { status })).result;
    expect(readFileSync(calls, "utf8").match(/called/g)).toHaveLength(1);
    expect(error?.message).toContain("The shop says no.");
    expect(error?.message).not.toContain("HTTP");
    expect(bench.manager.list()[0]?.state).toBe("ready");
  },
);
