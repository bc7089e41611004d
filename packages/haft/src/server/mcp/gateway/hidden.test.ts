import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { servedHaft } from "../../../../../../test/support/served-haft.ts";
import { scratch } from "../../../../test/support/haft-process.ts";
import { httpClient, modernCall, post, textOf } from "../../../../test/support/http-client.ts";

const program = fileURLToPath(new URL("../../../../test/support/resource-server.mjs", import.meta.url));
const tokens = { ann: "a".repeat(20), ben: "b".repeat(20), cyd: "c".repeat(20) };

/** A server whose tool wants an argument in a header as well. */
const ROUTED = `
const tool = { name: "route", inputSchema: { type: "object", properties: { zone: { type: "string", "x-mcp-header": "Zone" } } } };
const answers = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools: [tool] },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] ?? {} }));
});`;

it("Q13 D08 a client hears nothing of a server that a profile takes away, whether the server has come or not", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const node = (...args: string[]) => ({ command: process.execPath, args });
  const hidden = ["mcp__secret", "mcp__secretlost", "mcp__secretrouted"];
  const settings = {
    mcpServers: {
      open: node(program, "open"),
      secret: node(program, "secret"),
      secretlost: node("-e", "process.exit(3)"),
      secretrouted: node("-e", ROUTED),
    },
    permissions: { allow: ["ReadMcpResource", "ListMcpResources", "mcp__open", ...hidden] },
    server: { clients: { ben: { deny: hidden }, cyd: { rules: { deny: hidden } } } },
  };
  place.write("settings.json", JSON.stringify(settings));
  const lines = Object.entries(tokens).map((pair) => pair.join(" "));
  place.write("tokens", lines.join("\n"));
  const files = ["--settings", join(place.cwd, "settings.json"), "--token-file", join(place.cwd, "tokens")];
  await using served = await servedHaft(["--gateway", ...files], { place });

  const heard = async (who: keyof typeof tokens) => {
    const client = await httpClient(served, { token: tokens[who] });
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name), { timeout: 20_000 })
      .toContain("mcp__open__point");
    const calls: [string, Record<string, unknown>][] = [
      ["ToolSearch", { query: "telescope" }],
      ["mcp__secretlost__any", {}],
      ["ListMcpResources", {}],
      ["ReadMcpResource", { server: "nobody", uri: "note://shared" }],
    ];
    const said: string[] = [];
    for (const [name, args] of calls) {
      const text = textOf(await client.callTool({ name, arguments: args }));
      said.push(text.replaceAll(name, "").trim());
    }
    said.push(JSON.stringify([await client.listResources(), await client.listTools()]));
    const call = modernCall("mcp__secretrouted__route", { zone: "x" });
    const answer = await post(served, call.body, { ...call.headers, Authorization: `Bearer ${tokens[who]}` });
    said.push(await answer.text());
    await client.close();
    return said.join("\n");
  };
  const all = await heard("ann");
  for (const told of ["secretlost could not be reached", "secret: note://of-secret", "Mcp-Param-Zone"])
    expect(all).toContain(told);
  for (const who of ["ben", "cyd"] as const) {
    const some = await heard(who);
    expect(some).toContain("open: note://of-open");
    expect(some.replaceAll(/mcp__secretrouted(__route)?/g, "")).not.toMatch(/secret(?!, and)|Param-Zone/);
  }
});
