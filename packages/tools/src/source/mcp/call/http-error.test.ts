import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { mcpBench } from "../../../../test/support/mcp.ts";

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
  [500, `<html>${"e".repeat(1_000_000)}`, /answered with HTTP 500: <html>e+ \[cut\]$/, /not known/],
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
