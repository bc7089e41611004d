import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { sseServer } from "../../test/servers/sse.peers.ts";
import { mcpBench } from "../../test/support/mcp.ts";

describe("servers of the first HTTP", () => {
  it.each([undefined, "sse" as const])(
    "Q01 a server of the first HTTP is reached, asked for (%s) or found out",
    async (type) => {
      await using server = await sseServer();
      await using bench = mcpBench();
      bench.manager.add({ name: "old", url: server.url, ...(type ? { type } : {}) });
      await bench.manager.settled();
      expect(bench.manager.list()[0]?.error).toBeUndefined();
      expect(bench.manager.list()[0]).toMatchObject({
        state: "ready",
        era: "legacy",
        tools: ["mcp__old__hello", "mcp__old__cut"],
      });
      expect(contentsText((await bench.call("mcp__old__hello")).result.content)).toBe("hello over events");
    },
  );

  it("Q10 a stream of the first HTTP that breaks fails its calls at once, and the next call has a session of its own", async () => {
    await using server = await sseServer();
    await using bench = mcpBench();
    bench.manager.add({ name: "old", url: server.url });
    await bench.manager.settled();
    const { error } = (await bench.call("mcp__old__cut")).result;
    expect(error?.message).toContain('"old" closed the connection while it ran cut');
    expect(contentsText((await bench.call("mcp__old__hello")).result.content)).toBe("hello over events");
  });

  it("Q01 a server of the first HTTP that leads elsewhere is not followed, and that is what the error says", async () => {
    await using server = await sseServer("http://evil.example/messages");
    await using bench = mcpBench();
    bench.manager.add({ name: "old", url: server.url });
    await bench.manager.settled();
    expect(bench.manager.list()[0]?.error?.message).toMatch(/origin does not match .*evil\.example/);
  });
});
