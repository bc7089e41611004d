import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { friendly, mcpBench } from "../../../../test/support/mcp.ts";

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
