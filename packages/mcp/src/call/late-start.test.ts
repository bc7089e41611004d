import type { CallContext } from "@haft/core/tool";
import { expect, it } from "vitest";
import { friendly, mcpBench } from "../../test/support/mcp.ts";

/** A program that takes a while until it answers its first request, and then answers at once. */
const code = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const capabilities = { tools: {}, resources: {} };
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "slow", version: "1" } },
  "tools/list": { tools: [{ name: "go", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "done" }] },
  "resources/list": { resources: [] },
  "resources/read": { contents: [{ uri: "a:b", text: "read" }] },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no such method" } };
  setTimeout(() => send({ id, ...answer }), method === "initialize" ? 900 : 0);
});`;

it("Q10 the time of a request begins when its server is there: a read, as a call, outlives a slow start", async () => {
  await using bench = mcpBench({ callTimeoutMs: 500 });
  bench.manager.add(friendly({ name: "slow", args: ["-e", code] }));
  const context = { call: { id: "1" }, agent: { id: "main" }, signal: new AbortController().signal };
  const contents = await bench.manager.read("slow", "a:b", context as CallContext);
  expect(contents).toMatchObject([{ text: "read" }]);
});
