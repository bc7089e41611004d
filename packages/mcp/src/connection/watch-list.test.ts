import { expect, it } from "vitest";
import { friendly, mcpBench } from "../../test/support/mcp.ts";

/** A program whose first list is outdated when it gives it: it says so in the same breath. With "2" that list has two pages. */
const code = `
let lists = 0;
const line = (message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n";
const results = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "hasty", version: "1" } }),
  "tools/list": (params) => {
    const name = params?.cursor ? "rest" : "list" + ++lists;
    const hasMore = name === "list1" && process.argv[1] === "2";
    return { tools: [{ name, inputSchema: { type: "object" } }], ...(hasMore ? { nextCursor: "more" } : {}) };
  },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (text) => {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const answer = line({ id, ...(result ? { result } : { error: { code: -32601, message: "no such method" } }) });
  const isOutdated = method === "tools/list" && lists === 1 && !params?.cursor;
  process.stdout.write(answer + (isOutdated ? line({ method: "notifications/tools/list_changed" }) : ""));
});`;

it.each(["1", "2"])(
  "Q10 a list that changes while it is first asked for is asked for again (pages: %s)",
  async (pages) => {
    await using bench = mcpBench();
    bench.manager.add(friendly({ name: "hasty", args: ["-e", code, pages] }));
    await bench.manager.settled();
    await expect.poll(bench.names, { timeout: 5_000 }).toEqual(["mcp__hasty__list2"]);
  },
);
