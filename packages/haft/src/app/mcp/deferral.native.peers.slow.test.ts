import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { call, messageOf, say, stream, streamOf } from "../../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";

/** A session whose one server has three hundred tools, of which none is offered by definition. */
async function session(gate: boolean | string = true) {
  const place = mcpWorkspace({
    [USER_SETTINGS]: {
      mcpServers: { many: serverEntry("rough", "many", "300") },
      gates: { toolSearch: gate },
      permissions: { allow: ["mcp__many"] },
    },
  });
  const haft = await place.open();
  await haft.mcp.settled();
  return {
    haft,
    async [Symbol.asyncDispose]() {
      await haft[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

const SEARCH = call("toolu_01", "ToolSearch", { query: "select:mcp__many__tool_7" });
const REFERENCE = { type: "tool_reference", tool_name: "mcp__many__tool_7" };

interface Body {
  readonly tools: readonly {
    readonly name: string;
    readonly defer_loading?: boolean;
    readonly cache_control?: object;
  }[];
  readonly messages: readonly { readonly content: readonly { readonly content?: unknown }[] }[];
}

/** Rarely needed built-in tools are deferred too; these tests count those of the server. */
const isDeferredRemote = ({ name, defer_loading }: { name: string; defer_loading?: boolean }): boolean =>
  defer_loading === true && name.startsWith("mcp__");

describe("deferral by the provider", () => {
  it("D09 on the wire: every definition goes along once and for all, and a search answers with references", async () => {
    await using place = await session();
    const turns = [[SEARCH], [call("toolu_02", "mcp__many__tool_7", {})], [say("Done.")]].map((blocks) => ({
      json: messageOf(blocks),
    }));
    await using server = await wireServer(turns);
    const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
    const adapter = place.haft.for("anthropic", { deferLoading: true, cacheControl: { type: "ephemeral" } });
    const messages: Anthropic.Messages.MessageParam[] = [{ role: "user", content: "Go." }];
    for (;;) {
      const request = { model: "claude-test", max_tokens: 100, tools: adapter.tools, messages };
      const message = await client.messages.create(request);
      messages.push({ role: "assistant", content: message.content });
      const results = await adapter.run(message);
      if (!results) break;
      messages.push(results);
    }
    const [first, second, third] = server.bodies.map((body) => JSON.parse(body) as Body);
    const deferred = first!.tools.filter(isDeferredRemote).map(({ name }) => name);
    expect(deferred).toHaveLength(300);
    expect(deferred.every((name) => name.startsWith("mcp__many__"))).toBe(true);
    expect(first!.tools.find(({ name }) => name === "ToolSearch")).not.toHaveProperty("defer_loading");
    const cached = first!.tools.filter(({ cache_control }) => cache_control);
    expect(cached.map(({ defer_loading }) => defer_loading)).toEqual([undefined]);
    // The point of it: a search changes nothing of the list, so the provider's cache holds.
    expect(JSON.stringify(second!.tools)).toBe(JSON.stringify(first!.tools));
    expect(JSON.stringify(third!.tools)).toBe(JSON.stringify(first!.tools));
    expect(second!.messages[2]!.content[0]!.content).toEqual([REFERENCE]);
    expect(third!.messages[4]!.content[0]!.content).toEqual([
      { type: "text", text: expect.stringContaining("\ntool_7\n") },
    ]);
  });

  it("D09 a streamed turn refers too; a tool is referred to once, and a search without a find answers in words", async () => {
    await using place = await session();
    const adapter = place.haft.for("anthropic", { deferLoading: true });
    expect(adapter.tools.length).toBeGreaterThan(300);
    const turn = await adapter.run.stream(stream(streamOf([SEARCH])));
    expect(turn.results?.content[0]?.content).toEqual([REFERENCE]);
    const again = await adapter.run(messageOf([{ ...SEARCH, id: "toolu_02" } as typeof SEARCH]));
    expect(again?.content[0]?.content[0]).toMatchObject({
      type: "text",
      text: expect.stringContaining("Already among"),
    });
    const none = await adapter.run(messageOf([call("toolu_03", "ToolSearch", { query: "select:nothing_here" })]));
    expect(none?.content[0]?.content[0]).toMatchObject({
      type: "text",
      text: expect.stringContaining("There is no tool"),
    });
  });

  it("D09 the first successful search of a message answers with references, also after failed ones", async () => {
    await using place = await session();
    const adapter = place.haft.for("anthropic", { deferLoading: true });
    expect(adapter.tools.length).toBeGreaterThan(300);
    const results = await adapter.run(messageOf([call("toolu_00", "ToolSearch", {}), SEARCH]));
    expect(results?.content[0]).toMatchObject({ is_error: true });
    expect(results?.content[1]?.content).toEqual([REFERENCE]);
  });

  it("D09 Q10 a tool that messages refer to stays in the list when its server has gone: the API wants it there", async () => {
    await using place = await session();
    const adapter = place.haft.for("anthropic", { deferLoading: true });
    const before = adapter.tools.find(({ name }) => name === "mcp__many__tool_7");
    await adapter.run(messageOf([SEARCH]));
    await place.haft.mcp.remove("many");
    expect(adapter.tools.filter(({ name }) => name.startsWith("mcp__many"))).toEqual([before]);
    const answer = await adapter.run(messageOf([call("toolu_02", "mcp__many__tool_7", {})]));
    expect(answer?.content[0]).toMatchObject({ is_error: true });
  });

  it("D09 a tool that has not been referred to is refused, and says how to load it", async () => {
    await using place = await session();
    const adapter = place.haft.for("anthropic", { deferLoading: true });
    expect(adapter.tools.length).toBeGreaterThan(300);
    const answer = await adapter.run(messageOf([call("toolu_01", "mcp__many__tool_9", {})]));
    expect(answer?.content[0]).toMatchObject({ is_error: true });
    expect(JSON.stringify(answer?.content[0])).toContain("ToolSearch");
  });

  it("D09 in a conversation without the reference a loaded tool comes with its definition", async () => {
    await using place = await session();
    const first = place.haft.for("anthropic", { deferLoading: true });
    expect(first.tools.length).toBeGreaterThan(300);
    await first.run(messageOf([SEARCH]));
    const compacted = place.haft.for("anthropic", { deferLoading: true }).tools;
    expect(compacted.find(({ name }) => name === "mcp__many__tool_7")).not.toHaveProperty("defer_loading");
    expect(compacted.filter(isDeferredRemote)).toHaveLength(299);
  });

  it("D09 without deferred tools nothing is marked", async () => {
    await using place = await session(false);
    const { tools } = place.haft.for("anthropic", { deferLoading: true });
    expect(tools.some(({ defer_loading }) => defer_loading)).toBe(false);
    expect(tools.map(({ name }) => name)).not.toContain("ToolSearch");
  });
});
