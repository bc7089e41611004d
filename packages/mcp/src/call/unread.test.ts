import { expect, it } from "vitest";
import { friendly, mcpBench } from "../../test/support/mcp.ts";

/** A program that gives none of its resources, each for another reason. */
const code = `
const capabilities = { tools: {}, resources: {} };
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "shelf", version: "1" } },
  "tools/list": { tools: [] },
  "a:odd": { contents: [{ uri: "a:odd", blob: "!" }] },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (params?.uri === "a:end") { console.error("out of cheese"); process.exit(3); }
  const result = results[params?.uri ?? method];
  const answer = result ? { result } : { error: { code: -32002, message: "no such book" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});`;

it.each([
  ["a:lost", /^a:lost of the MCP server "shelf" failed: no such book$/, /ListMcpResources/],
  ["a:odd", /Invalid result for resources\/read: contents\.0/, /try again/],
  ["a:end", /^The MCP server "shelf" ended with exit code 3 while it read a:end\.\n.*\nout of cheese$/, /try again/],
])("Q10 a resource that cannot be read says whose it is, why, and what to do: %s", async (uri, said, cure) => {
  await using bench = mcpBench();
  bench.manager.add(friendly({ name: "shelf", args: ["-e", code] }));
  await bench.manager.settled();
  const { error } = (await bench.call("ReadMcpResource", { server: "shelf", uri })).result;
  expect(error).toMatchObject({ code: "mcp_error", message: expect.stringMatching(said) });
  expect(error?.hint).toMatch(cure);
});
