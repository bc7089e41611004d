import { describe, expect, it } from "vitest";
import { friendly, mcpBench, rough } from "../test/support/mcp.ts";

describe("settings of one server", () => {
  it("Q01 only the tools that are wanted exist; a name that fits none is said", async () => {
    await using bench = mcpBench();
    bench.manager.add(friendly({ name: "few", allowedTools: ["echo", "add", "gone"], disabledTools: ["add"] }));
    bench.manager.add(friendly({ name: "most", disabledTools: ["fail", "slow"] }));
    await bench.manager.settled();
    expect(bench.names().filter((name) => name.startsWith("mcp__few"))).toEqual(["mcp__few__echo"]);
    expect(bench.manager.list()[0]?.problems).toEqual([
      'The settings name a tool "gone", which the server does not have.',
    ]);
    expect(bench.names()).toContain("mcp__most__echo");
    expect(bench.names()).not.toContain("mcp__most__slow");
    const { result } = await bench.call("mcp__most__slow", { steps: 1, ms: 1 });
    expect(result.error?.code).toBe("unknown_tool");
  });

  it("Q10 a server has its own time to start and to answer", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("hang", { startTimeoutMs: 300 }));
    bench.manager.add(friendly({ callTimeoutMs: 200 }));
    await bench.manager.settled();
    expect(bench.manager.list()[0]?.error?.message).toContain("300 ms");
    const { result } = await bench.call("mcp__friend__slow", { steps: 1, ms: 3_000 });
    expect(result.error).toMatchObject({ code: "timeout", message: expect.stringContaining("200 ms") });
  });
});
