import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { friendly, mcpBench, rough } from "../test/support/mcp.ts";

describe("MCP manager", () => {
  it("Q01 servers are added, listed, disconnected, connected again and removed while all runs", async () => {
    await using bench = mcpBench();
    const { manager, call, names } = bench;
    manager.add(friendly());
    expect(manager.list()).toMatchObject([{ server: { name: "friend" }, tools: [] }]);
    await manager.settled();
    expect(manager.list()).toMatchObject([{ state: "ready", era: "modern", problems: [] }]);
    expect(names()).toContain("mcp__friend__echo");
    expect(contentsText((await call("mcp__friend__echo", { text: "hello" })).result.content)).toBe("hello");
    await manager.disconnect("friend");
    expect(names()).toEqual([]);
    expect((await call("mcp__friend__echo", { text: "x" })).result.error?.code).toBe("unknown_tool");
    await manager.connect("friend");
    expect(contentsText((await call("mcp__friend__echo", { text: "again" })).result.content)).toBe("again");
    expect(await manager.remove("friend")).toBe(true);
    expect(manager.list()).toEqual([]);
    expect(names()).toEqual([]);
  });

  it("Q01 a server that is sent away before or while it begins does not begin", async () => {
    await using bench = mcpBench();
    const { manager, names } = bench;
    manager.add(friendly());
    await manager.disconnect("friend");
    manager.add(friendly({ name: "other" }), { connect: false });
    const begun = expect(manager.connect("other")).rejects.toMatchObject({ code: "cancelled" });
    await manager.disconnect("other");
    await begun;
    await manager.settled();
    expect(manager.list().map(({ state }) => state)).toEqual(["stopped", "stopped"]);
    await manager.connect("other");
    expect(manager.list().map(({ state }) => state)).toEqual(["stopped", "ready"]);
    expect(names().every((name) => !name.startsWith("mcp__friend__"))).toBe(true);
  });

  it("Q10 a list of ten thousand tools comes page by page", async () => {
    await using bench = mcpBench();
    const { manager, call, names } = bench;
    manager.add(rough("many"));
    await manager.settled();
    expect(manager.list()[0]?.error).toBeUndefined();
    expect(names()).toHaveLength(10_000);
    expect(contentsText((await call("mcp__many__tool_9999")).result.content)).toBe("tool_9999");
  });
});
