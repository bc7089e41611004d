import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { httpServer } from "../../test/servers/http.ts";
import { mcpBench } from "../../test/support/mcp.ts";

describe("servers over HTTP", () => {
  it("Q01 a server over HTTP is reached in its era, with the headers of its settings", async () => {
    await using server = await httpServer({ token: "from-env" });
    await using bench = mcpBench({ env: { TOKEN: "from-env" } });
    const { manager } = bench;
    manager.add({ name: "web", type: "http", url: server.url, headers: { Authorization: `Bearer \${TOKEN}` } });
    await manager.settled();
    expect(manager.list()[0]).toMatchObject({ state: "ready", era: "modern", tools: ["mcp__web__hello"] });
    expect(contentsText((await bench.call("mcp__web__hello")).result.content)).toBe("hello over http");
  });

  it("Q10 a session that the server has forgotten is begun anew, and the call made again", async () => {
    await using server = await httpServer({ sessions: true });
    await using bench = mcpBench();
    bench.manager.add({ name: "web", url: server.url });
    await bench.manager.settled();
    expect(contentsText((await bench.call("mcp__web__hello")).result.content)).toBe("session 1");
    server.forget();
    expect(contentsText((await bench.call("mcp__web__hello")).result.content)).toBe("session 2");
    expect(server.initialised()).toBe(2);
    expect(bench.manager.list()[0]?.state).toBe("ready");
  });

  it.each([
    ["Q08 resources are listed", "ListMcpResources", {}, "web: note://one (one)"],
    ["Q09 a resource is read", "ReadMcpResource", { server: "web", uri: "note://one" }, "read in session 2"],
  ])("%s over a new session where the server has forgotten the old one", async (_, tool, input, said) => {
    await using server = await httpServer({ sessions: true });
    await using bench = mcpBench();
    bench.manager.add({ name: "web", url: server.url });
    await bench.manager.settled();
    server.forget();
    expect(contentsText((await bench.call(tool, input)).result.content)).toBe(said);
    server.forget();
    expect(await bench.manager.prompts()).toMatchObject({ prompts: [{ command: "mcp__web__greet" }], problems: [] });
    expect(server.initialised()).toBe(3);
  });

  it("Q10 a server that wants credentials says so with the cure; one that is not there is named", async () => {
    await using server = await httpServer({ token: "secret" });
    await using bench = mcpBench();
    const ended = await httpServer();
    await ended[Symbol.asyncDispose]();
    bench.manager.add({ name: "locked", url: server.url });
    bench.manager.add({ name: "gone", url: ended.url });
    bench.manager.add({ name: "unset", url: server.url, headers: { Authorization: `Bearer \${NO_SUCH_TOKEN_HERE}` } });
    await bench.manager.settled();
    const of = (name: string) => bench.manager.list().find(({ server: { name: one } }) => one === name)?.error;
    expect(of("locked")?.hint).toContain("Authorization");
    expect(of("gone")?.message).toContain('"gone" cannot be reached: connect ECONNREFUSED 127.0.0.1:');
    expect(of("unset")?.message).toContain("NO_SUCH_TOKEN_HERE");
  });
});

it("Q01 a server that takes in what it does not know, and is silent, is known for an old one at once; one that takes in all is named", async () => {
  const taken = (known: Readonly<Record<string, object>>) =>
    createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      if (request.method !== "POST") return void response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      const result = known[method];
      if (!result) return void response.writeHead(202).end();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  const info = {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "old", version: "1" },
  };
  const tools = [{ name: "go", inputSchema: { type: "object" } }];
  const servers = [taken({ initialize: info, "tools/list": { tools } }), taken({})];
  await using bench = mcpBench();
  for (const [index, server] of servers.entries()) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    bench.manager.add({ name: `web${index}`, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` });
  }
  const since = performance.now();
  await bench.manager.settled();
  expect(performance.now() - since).toBeLessThan(patience(4_000));
  expect(bench.manager.list()[0]).toMatchObject({ state: "ready", era: "legacy", tools: ["mcp__web0__go"] });
  expect(bench.manager.list()[1]?.error?.message).toMatch(/"web1" cannot be reached: .*202 Accepted/);
  for (const server of servers) server.close();
});
