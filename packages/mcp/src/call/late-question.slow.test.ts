import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createExecutor } from "@haft/core/executor";
import { expect, it } from "vitest";
import { friendly, mcpBench } from "../../test/support/mcp.ts";

const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
const results: Readonly<Record<string, object>> = {
  initialize: {
    ...{ protocolVersion: "2025-06-18", capabilities: { tools: {} } },
    serverInfo: { name: "late", version: "1" },
  },
  "tools/list": { tools: [tool("first"), tool("second")] },
};
const question = {
  jsonrpc: "2.0",
  id: "q",
  method: "elicitation/create",
  params: { message: "Which?", requestedSchema: { type: "object", properties: {} } },
};

/** Answers the first call at once, and asks on its stream when the second is in progress; the reply to that ends the second. */
async function lateServer() {
  let first: ServerResponse | undefined;
  let second: (() => void) | undefined;
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(text) as { id?: unknown; method?: string; params?: { name?: string } };
    const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, ...message })}\n\n`;
    const done = event({ result: { content: [{ type: "text", text: "done" }] } });
    if (id === "q") second?.();
    if (method === undefined || id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (method !== "tools/call") return void response.end(event({ result: results[method] }));
    if (params?.name === "first") {
      first = response;
      return void response.write(done);
    }
    second = () => void response.end(done);
    first?.end(event(question));
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

it("Q07 Q13 a question of a call that has ended is nobody else's, though another call is in progress", {
  tags: ["smoke"],
}, async () => {
  await using server = await lateServer();
  const asked: unknown[] = [];
  await using bench = mcpBench({
    async elicit(_server, _question, _signal, call) {
      asked.push(call);
      return { action: "decline" };
    },
  });
  bench.manager.add({ name: "late", url: server.url });
  await bench.manager.settled();
  expect((await bench.call("mcp__late__first")).status).toBe("ok");
  expect((await bench.call("mcp__late__second")).status).toBe("ok");
  expect(asked).toEqual([undefined]);
});

it.each(["modern", "legacy"])("Q07 E12 a question is taken back when its call is cancelled (%s)", async (era) => {
  const [asked, takenBack, cancel] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    new AbortController(),
  ];
  await using bench = mcpBench({
    async elicit(_server, _question, signal) {
      signal.addEventListener("abort", () => takenBack.resolve());
      asked.resolve();
      await takenBack.promise;
      return { action: "cancel" };
    },
  });
  const server = friendly();
  bench.manager.add({ ...server, args: [...(server.args ?? []), era] });
  await bench.manager.settled();
  const executor = createExecutor(bench.machine);
  const done = executor.run([{ id: "1", tool: "mcp__friend__confirm", input: {} }], { signal: cancel.signal });
  await asked.promise;
  cancel.abort();
  expect((await done)[0]).toMatchObject({ status: "cancelled" });
  await takenBack.promise;
  // Nothing of it stands in the way of the next call.
  expect((await bench.call("mcp__friend__echo", { text: "on" })).status).toBe("ok");
});
