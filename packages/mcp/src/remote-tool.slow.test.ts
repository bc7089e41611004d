import { setTimeout as wait } from "node:timers/promises";
import { type CallEvent, createExecutor } from "@haft/core/executor";
import { contentsText } from "@haft/core/tool";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { friendly, mcpBench, rough } from "../test/support/mcp.ts";
import type { RemoteTool } from "./remote-tool.ts";

const started = async (...args: Parameters<typeof friendly>) => {
  const events: CallEvent[] = [];
  const bench = mcpBench({ listener: (event) => events.push(event) });
  bench.manager.add(friendly(...args));
  await bench.manager.settled();
  return { bench, events, remote: (name: string) => bench.machine.registry.get(name)?.tool as RemoteTool };
};

describe("remote tools", () => {
  it("Q02 Q05 a remote tool knows its server; one that is only named like it does not", {
    tags: ["smoke"],
  }, async () => {
    const { bench, remote } = await started();
    await using _ = bench;
    expect(remote("mcp__friend__echo").mcpInfo).toEqual({
      ...{ serverName: "friend", toolName: "echo" },
      icons: [{ src: "https://icons.example/echo.png", mediaType: "image/png" }],
    });
    expect(bench.machine.registry.get("mcp__friend__echo")?.source).toEqual({ origin: "mcp", name: "friend" });
    bench.machine.registry.add({ origin: "custom", name: "host" }, [
      { ...remote("mcp__friend__echo"), name: "mcp__friend__fake", aliases: [] },
    ]);
    expect(bench.machine.registry.get("mcp__friend__fake")?.source.origin).toBe("custom");
  });

  it("Q03 other spellings find the tool by what is known of it, and two that could be meant mean none", async () => {
    await using bench = mcpBench();
    const { manager, machine } = bench;
    const found = (name: string) => machine.registry.get(name)?.tool.name;
    manager.add(rough("crash", { name: "a_crash" }));
    await manager.settled();
    expect([found("a_crash__echo"), found("mcp__a_crash_echo")]).toEqual(["mcp__a_crash__echo", "mcp__a_crash__echo"]);
    // mcp__a_crash_echo could now be the tool crash_echo of "a" as well.
    manager.add(rough("named", { name: "a" }, "crash_echo"));
    await manager.settled();
    expect(found("mcp__a__crash_echo")).toBe("mcp__a__crash_echo");
    expect(found("mcp__a_crash_echo")).toBeUndefined();
    expect(found("a_crash__echo")).toBe("mcp__a_crash__echo");
    const { result } = await bench.call("mcp__a_crash_echo");
    expect(result.error?.code).toBe("unknown_tool");
    await manager.remove("a");
    expect(found("mcp__a_crash_echo")).toBe("mcp__a_crash__echo");
  });

  it("Q07 hints count only for a server that the user vouches for; a warning always does", async () => {
    for (const trusted of [false, true]) {
      const { bench } = await started({ trusted });
      await using _ = bench;
      const { effects, traits, decision } = await explained(bench.machine, "mcp__friend__add", { a: 1, b: 2 });
      expect(effects).toEqual([{ do: "call", basis: "claimed", server: "friend", tool: "add", change: !trusted }]);
      expect(traits).toMatchObject({ kind: "other", isReadOnly: trusted, isConcurrencySafe: trusted });
      expect(decision).toBe("allow");
    }
  });

  it("Q11 every kind of block arrives as ours, and content as text and as data is given once", async () => {
    const { bench } = await started();
    await using _ = bench;
    const { result } = await bench.call("mcp__friend__media");
    expect(result.content.map(({ type }) => type)).toEqual([
      "image",
      "audio",
      "resource",
      "resource",
      "resource",
      "json",
    ]);
    expect(result.content[0]).toMatchObject({ mediaType: "image/png", data: expect.stringMatching(/^iVBOR/) });
    expect(result.content[2]).toEqual({
      type: "resource",
      uri: "test://note",
      mediaType: "text/plain",
      text: "a note",
    });
    expect(result.content[3]).toMatchObject({ mediaType: "application/pdf", blob: "JVBERi0=" });
    expect(contentsText([result.content[4]!])).toContain("later: for later, not read yet: test://later");
    expect(result.content[5]).toEqual({ type: "json", value: { kinds: 5 } });
    const sum = await bench.call("mcp__friend__add", { a: 1, b: 2 });
    expect(sum.result.content).toEqual([{ type: "text", text: '{"sum":3}' }]);
    expect(sum.result.output).toMatchObject({ structured: { sum: 3 } });
  });

  it("H03 Q11 a picture arrives as models take it: not too large, and of the type that its bytes have", async () => {
    const { bench } = await started();
    await using _ = bench;
    const small = await bench.call("mcp__friend__picture", { width: 30, height: 20 });
    expect(small.result.content.map(({ type }) => type)).toEqual(["image", "text"]);
    expect(small.result.content[0]).toMatchObject({ mediaType: "image/jpeg" });
    const { result } = await bench.call("mcp__friend__picture", { width: 5000, height: 1000 });
    const [image] = result.content;
    if (image?.type !== "image") throw new Error(`expected an image, got ${image?.type}`);
    const { width, height } = await sharp(Buffer.from(image.data, "base64")).metadata();
    expect([width, height]).toEqual([2000, 400]);
    expect(contentsText(result.content.slice(1))).toBe(
      "[The image was changed: made smaller from 5000 × 1000.]\na picture",
    );
  });

  it("Q11 a failure that the tool reports is an error that says why, once", async () => {
    const { bench } = await started();
    await using _ = bench;
    const { result, status } = await bench.call("mcp__friend__fail");
    expect(status).toBe("error");
    const message = 'fail on the MCP server "friend" failed: no such issue: 7';
    expect(result.error).toMatchObject({ code: "mcp_error", message });
    expect(contentsText(result.content)).toBe(message);
  });

  it("Q11 a long report of a failure begins in the message and is whole in the content, pictures too", async () => {
    const { bench } = await started();
    await using _ = bench;
    const { result } = await bench.call("mcp__friend__fail-at-length", { chars: 5_000 });
    expect(result.error?.message).toMatch(/^fail-at-length on the MCP server "friend" failed: x{2000} \[cut\]$/);
    expect(contentsText(result.content)).toContain("x".repeat(5_000));
    expect(result.content.map(({ type }) => type)).toEqual(["text", "text", "image"]);
    const silent = await bench.call("mcp__friend__fail-at-length", { chars: 0 });
    expect(silent.result.error?.message).toContain("failed without a reason.");
  });

  it("Q12 a server's answer is labelled as a stranger's, an error too; the error of a call that never reached it is not", async () => {
    const { bench } = await started();
    await using _ = bench;
    const labels = async (tool: string, input?: unknown) => (await bench.call(tool, input)).result.labels;
    const strange = { integrity: "stranger", sources: ["mcp:friend"] };
    expect(await labels("mcp__friend__add", { a: 1, b: 2 })).toEqual(strange);
    expect(await labels("mcp__friend__fail")).toEqual(strange);
    expect(await labels("mcp__friend__add", { a: "no number" })).toBeUndefined();
  });

  it("E12 progress that comes in one piece with the answer is heard before it", async () => {
    const told: unknown[] = [];
    await using bench = mcpBench({
      listener: (event) => event.type === "tool:execution:progress" && told.push(event.progress.metadata),
    });
    bench.manager.add(rough("hurried"));
    await bench.manager.settled();
    for (const steps of [1, 3, 50]) {
      told.length = 0;
      const { result } = await bench.call("mcp__hurried__hurry", { steps });
      expect(contentsText(result.content)).toBe("done");
      expect(told.at(-1)).toEqual({ progress: steps, total: steps });
    }
  });

  it("E12 progress of a remote tool is progress of the call, and a cancel reaches the server", async () => {
    const { bench, events } = await started();
    await using _ = bench;
    await bench.call("mcp__friend__slow", { steps: 3, ms: 80 });
    const progress = events.flatMap((event) => (event.type === "tool:execution:progress" ? [event.progress] : []));
    // The last step and the result leave the server together.
    expect(progress.at(-1)).toMatchObject({ title: "step 3", metadata: { progress: 3, total: 3 } });
    const stop = new AbortController();
    const running = createExecutor(bench.machine).run(
      [{ id: "1", tool: "mcp__friend__slow", input: { steps: 20, ms: 100 } }],
      { signal: stop.signal },
    );
    await wait(300);
    stop.abort();
    expect((await running)[0]).toMatchObject({ status: "cancelled" });
    await expect
      .poll(() => bench.manager.logs("friend").join(), { timeout: 3_000 })
      .toContain("cancelled by the client");
  });

  it("Q10 a tool that comes while the server runs is there in the next request, in both eras", async () => {
    for (const era of ["legacy", "modern"]) {
      const server = friendly();
      await using bench = mcpBench();
      bench.manager.add({ ...server, args: [...server.args!, era] });
      await bench.manager.settled();
      expect(bench.names()).not.toContain("mcp__friend__grown");
      await bench.call("mcp__friend__grow");
      await expect.poll(() => bench.names(), { timeout: 5_000 }).toContain("mcp__friend__grown");
      expect(bench.manager.list()[0]?.era).toBe(era);
    }
  });

  it("Q10 a storm of change notices costs one look a second", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("storm"));
    await bench.manager.settled();
    const { version } = bench.machine.registry;
    await wait(1_500);
    const looks = Number(contentsText((await bench.call("mcp__storm__count")).result.content));
    expect(looks).toBeGreaterThanOrEqual(2);
    expect(looks).toBeLessThanOrEqual(5);
    expect(bench.machine.registry.version).toBe(version);
  });
});

async function explained(machine: Parameters<typeof createExecutor>[0], tool: string, input: unknown) {
  const { effects, traits, decision } = await createExecutor(machine).explain({ id: "e", tool, input });
  return { effects, traits, decision: decision?.decision };
}
