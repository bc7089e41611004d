import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { brokenHttpServer } from "../../test/servers/broken-http.ts";
import { mcpBench, rough } from "../../test/support/mcp.ts";

describe("answers that are none", () => {
  it("Q10 a broken answer fails its own call at once, in few words; the next call works", {
    tags: ["smoke"],
  }, async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("broken"));
    await bench.manager.settled();
    const started = performance.now();
    const wrong = ["nothing", "both", "list", "word", "wordless"];
    for (const name of wrong) {
      const { error } = (await bench.call(`mcp__broken__${name}`)).result;
      expect([name, error?.code, error?.message]).toEqual([name, "mcp_error", expect.stringContaining("not JSON-RPC")]);
    }
    for (const name of ["null", "unknown"]) {
      const { error } = (await bench.call(`mcp__broken__${name}`)).result;
      expect(error?.message).toMatch(/Invalid result for tools\/call: content/);
      expect(error?.hint).toContain("may have done its work already");
      expect(error!.message.length).toBeLessThan(300);
    }
    // A call that waits for another answer would take the sixty seconds that a server may be silent.
    expect(performance.now() - started).toBeLessThan(patience(20_000));
    expect(contentsText((await bench.call("mcp__broken__sound")).result.content)).toBe("ok");
    expect(bench.manager.logs("broken").join("\n")).toContain("[an answer that is none]");
  });

  it("Q10 a mark before an answer and a batch are read; an answer without a version fails its call at once", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("broken"));
    await bench.manager.settled();
    const said = async (name: string) => (await bench.call(`mcp__broken__${name}`)).result;
    expect(contentsText((await said("marked")).content)).toBe("marked");
    expect(contentsText((await said("batch")).content)).toBe("batch");
    expect((await said("versionless")).error?.message).toContain('lacks "jsonrpc"');
    expect(bench.manager.logs("broken").join("\n")).toMatch(/not a message[\s\S]*first/);
  });

  it("Q10 an answer to what nobody asked is for the one call that waits, and fails it at once", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("broken"));
    await bench.manager.settled();
    const started = performance.now();
    const said = async (name: string) => (await bench.call(`mcp__broken__${name}`)).result;
    for (const name of ["stranger", "named", "no-id", "textual-word"])
      expect([name, (await said(name)).error?.message]).toEqual([name, expect.stringContaining("not JSON-RPC")]);
    expect((await said("no-id")).error?.message).toContain("It says: kaputt");
    for (const name of ["textual", "late"]) expect(contentsText((await said(name)).content)).toBe(name);
    const both = await Promise.all([said("pair"), said("pair")]);
    expect(both.map(({ content }) => contentsText(content))).toEqual(["pair", "pair"]);
    expect(performance.now() - started).toBeLessThan(patience(20_000));
  });

  it("Q10 a call whose time is over says what the server has said meanwhile, which may be why", async () => {
    await using bench = mcpBench({ callTimeoutMs: 700 });
    const script = `const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const tools = [{ name: "wait", inputSchema: { type: "object" } }];
      if (method === "tools/call") console.error("the database is locked");
      else if (method === "tools/list") send({ id, result: { tools } });
      else if (method === "initialize")
        send({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "w", version: "1" } } });
      else if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
    });`;
    bench.manager.add({ name: "slow", command: process.execPath, args: ["-e", script] });
    await bench.manager.settled();
    const { error } = (await bench.call("mcp__slow__wait")).result;
    expect(error?.code).toBe("timeout");
    expect(error?.message).toMatch(/It said meanwhile:\n.*database is locked/);
  });

  it("Q10 a server that does not say who it is fails in one line that names what is missing", async () => {
    await using bench = mcpBench();
    const script = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      const result = { protocolVersion: params?.protocolVersion, capabilities: {} };
      const answer = method === "initialize" ? { result } : { error: { code: -32601, message: "unknown" } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });`;
    bench.manager.add({ name: "nameless", command: process.execPath, args: ["-e", script] });
    await bench.manager.settled();
    const words = bench.manager.list()[0]?.error?.message;
    expect(words).toMatch(/"nameless" cannot be reached: .*serverInfo/);
    expect(words?.split("\n")).toHaveLength(1);
  });

  it("Q10 over HTTP too a broken answer fails its own call at once, in few words; nobody follows it elsewhere", async () => {
    await using server = await brokenHttpServer();
    await using bench = mcpBench({ maxMessageBytes: 200_000 });
    bench.manager.add({ name: "web", url: server.url });
    await bench.manager.settled();
    const started = performance.now();
    for (const name of server.wrong) {
      const { error } = (await bench.call(`mcp__web__${name}`)).result;
      expect([name, error?.code]).toEqual([name, "mcp_error"]);
      expect(error!.message).not.toContain("invalid_union");
      expect(error!.message.length).toBeLessThan(300);
    }
    expect((await bench.call("mcp__web__longEvent")).result.error).toMatchObject({
      message: expect.stringContaining("the limit is 200000"),
      hint: expect.stringContaining("Ask for less"),
    });
    expect(performance.now() - started).toBeLessThan(patience(20_000));
    expect(contentsText((await bench.call("mcp__web__sound")).result.content)).toBe("ok");
  });

  it("Q10 after a lost or unusable answer, no error says that the call may be made again", async () => {
    await using server = await brokenHttpServer();
    await using bench = mcpBench();
    bench.manager.add({ name: "web", url: server.url });
    await bench.manager.settled();
    const said = async (name: string) => (await bench.call(`mcp__web__${name}`)).result.error;
    for (const name of ["dropped", "brokenOff", "noEvent", "garbage", "page", "other", "taken"])
      expect([name, (await said(name))?.hint]).toEqual([name, expect.stringContaining("check before you repeat")]);
    expect((await said("dropped"))?.message).toContain("other side closed");
    expect((await said("taken"))?.message).toContain("sent 202 Accepted and opened no stream");
    expect((await said("elsewhere"))?.hint).toContain("If the message is about the input");
  });

  it("Q10 a server that ends when it is to list its tools is named, with its last words", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("crash-at-list"));
    await bench.manager.settled();
    expect(bench.manager.list()[0]?.error?.message).toMatch(/"crash-at-list" .*exit code 4 .*\n.*\n.*database is gone/);
  });

  it("Q10 a server's output before the end of its time to start stands in the error", async () => {
    await using bench = mcpBench({ startTimeoutMs: 900 });
    const script = "console.error('waiting for the database'); setInterval(() => {}, 1000)";
    bench.manager.add({ name: "slow", command: process.execPath, args: ["-e", script] });
    await bench.manager.settled();
    expect(bench.manager.list()[0]?.error?.message).toMatch(/900 ms[\s\S]*waiting for the database/);
  });

  it("Q10 a server of a version that nobody speaks is told apart from one that ends", async () => {
    await using bench = mcpBench();
    const script = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const result = { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: { name: "old", version: "1" } };
      const answer = method === "initialize" ? { result } : { error: { code: -32601, message: "unknown" } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });`;
    bench.manager.add({ name: "old", command: process.execPath, args: ["-e", script] });
    await bench.manager.settled();
    expect(bench.manager.list()[0]?.error?.message).toMatch(/"old" cannot be reached: .*not supported: 1999-01-01/);
  });

  it("B04 a schema that is nested too deep to be read drops its own tool", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("deep"));
    await bench.manager.settled();
    const [status] = bench.manager.list();
    expect([status?.error, status?.tools]).toEqual([undefined, ["mcp__deep__flat"]]);
    expect(status?.problems.join()).toMatch(/"deep" was left out\. /);
  });
});
