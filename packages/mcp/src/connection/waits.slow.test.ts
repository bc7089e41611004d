import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createExecutor } from "@haft/core/executor";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { friendly, mcpBench } from "../../test/support/mcp.ts";

/** A program that ends when it is called. Its next starts are slow, or end at once, as the file says whose name it gets. */
const code = `
const { readFileSync } = require("node:fs");
const next = (() => { try { return readFileSync(process.argv[1], "utf8"); } catch { return ""; } })();
if (next === "ends") process.exit(5);
if (next === "hangs") process.on("SIGTERM", () => {}) && setInterval(() => {}, 1000);
const capabilities = { tools: {} };
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "brief", version: "1" } },
  "tools/list": { tools: [{ name: "go", inputSchema: { type: "object" } }] },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "tools/call") process.exit(3);
  if (id === undefined || next === "hangs") return;
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});`;

async function begun() {
  const bench = mcpBench();
  const file = join(bench.folder, "next");
  bench.manager.add(friendly({ name: "brief", args: ["-e", code, file] }));
  await bench.manager.settled();
  return {
    bench,
    state: () => bench.manager.list()[0]?.state,
    next: (what: string) => writeFileSync(file, what),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

describe("waiting for a server", () => {
  it("Q10 is let go at once when their call is cancelled", async () => {
    await using server = await begun();
    server.next("hangs");
    await server.bench.call("mcp__brief__go");
    expect(server.state()).toBe("reconnecting");
    const stop = new AbortController();
    const call = { id: "1", tool: "mcp__brief__go", input: {} };
    const calling = createExecutor(server.bench.machine).run([call], { signal: stop.signal });
    await wait(100);
    const since = performance.now();
    stop.abort();
    expect((await calling)[0]?.status).toBe("cancelled");
    expect(performance.now() - since).toBeLessThan(patience(1_000));
    // The start itself goes on: others may wait for it.
    expect(server.state()).toBe("reconnecting");
  });

  it("Q01 hears that it failed, also where an earlier start of it is still on its way out", async () => {
    await using server = await begun();
    const { manager } = server.bench;
    server.next("hangs");
    await server.bench.call("mcp__brief__go");
    // By then it comes back by itself.
    await wait(1_300);
    server.next("ends");
    const leaving = manager.disconnect("brief");
    await expect(manager.connect("brief")).rejects.toMatchObject({ code: "mcp_error" });
    await manager.settled(1_000);
    expect(server.state()).toBe("failed");
    await leaving;
  }, 10_000);

  it("Q01 does not wait for the turn of a server that is sent away before it", { tags: ["smoke"] }, async () => {
    const bench = mcpBench({ quiet: (work) => (work === "load" ? new Promise(() => {}) : undefined) });
    bench.manager.add(friendly());
    bench.manager.add(friendly({ name: "far", command: undefined, url: "http://127.0.0.1:9/" }));
    await wait(100);
    const since = performance.now();
    await bench[Symbol.asyncDispose]();
    expect(performance.now() - since).toBeLessThan(patience(3_000));
  });
});
