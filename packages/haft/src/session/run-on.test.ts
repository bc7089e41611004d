import { defineTool } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, say, streamOf } from "../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../test/support/mcp-workspace.ts";
import { type AgentEvent, type Message, openModel, userMessage } from "../agent/index.ts";
import { runOn } from "./run-on.ts";

interface Body {
  readonly cache_control?: object;
  readonly tools: readonly { readonly name: string; readonly defer_loading?: boolean }[];
  readonly messages: readonly { readonly content: readonly { readonly content?: unknown }[] }[];
}

/** A session with a server of three hundred tools, and a model behind Anthropic's wire that says these things. */
async function session(turns: readonly Parameters<typeof streamOf>[0][], withholdsTools = true) {
  const place = mcpWorkspace({
    [USER_SETTINGS]: {
      mcpServers: { many: serverEntry("rough", "many", "300") },
      permissions: { allow: ["mcp__many"] },
      gates: { toolSearch: true },
    },
  });
  const haft = await place.open();
  await haft.mcp.settled();
  const server = await wireServer(turns.map((blocks) => ({ events: streamOf(blocks) })));
  const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const model = await openModel("anthropic/claude-test", env, {
    maxRetries: 0,
    ...(withholdsTools ? { anthropic: { withholdsTools } } : {}),
  });
  const signal = new AbortController().signal;
  return {
    haft,
    run: (messages: readonly Message[], onEvent: (event: AgentEvent) => void = () => {}) =>
      runOn({ haft, model, messages, signal, onEvent }),
    bodies: () => server.bodies.map((body) => JSON.parse(body) as Body),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await haft[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

const search = (id: string, at: number) => call(id, "ToolSearch", { query: `select:mcp__many__tool_${at}` });
const reference = (at: number) => ({ type: "tool_reference", tool_name: `mcp__many__tool_${at}` });
const deferredIn = (body: Body | undefined) =>
  body?.tools.filter((tool) => tool.defer_loading && tool.name.startsWith("mcp__")).length;

beforeEach(() => vi.stubGlobal("AI_SDK_LOG_WARNINGS", false));
afterEach(() => vi.unstubAllGlobals());

describe("deferred tools of the terminal agent", () => {
  it("D09 Anthropic keeps them back itself: a search answers with references, and no list ever changes", async () => {
    await using place = await session([
      [search("toolu_01", 7)],
      [call("toolu_02", "mcp__many__tool_7", {})],
      [say("Done.")],
      [say("Again.")],
    ]);
    const end = await place.run([userMessage("Go.")]);
    expect(end).toMatchObject({ reason: "answered", text: "Done." });
    await place.run([...end.messages, userMessage("And now?")]);
    const [first, ...later] = place.bodies();
    expect(deferredIn(first)).toBe(300);
    expect(first!.cache_control).toEqual({ type: "ephemeral" });
    for (const body of later) expect(JSON.stringify(body.tools)).toBe(JSON.stringify(first!.tools));
    expect(later[0]!.messages[2]!.content[0]!.content).toEqual([reference(7)]);
    expect(JSON.stringify(later[1]!.messages[4])).toContain("tool_7");
    // The next prompt of the conversation begins with the same bytes.
    expect(JSON.stringify(later[2]!.messages.slice(0, 5))).toBe(JSON.stringify(later[1]!.messages));
  });

  it("D09 a tool that came after the request is referred to as well, and stays kept back", async () => {
    const late = defineTool({ name: "mcp__late__a", description: "A.", input: { type: "object" }, run: () => "ran" });
    const query = { query: "select:mcp__late__a" };
    await using place = await session([[call("toolu_01", "ToolSearch", query)], [say("Done.")]]);
    await place.run([userMessage("Go.")], ({ type }) => {
      if (type === "request" && !place.haft.registry.get("mcp__late__a"))
        place.haft.registry.add({ origin: "mcp", name: "late" }, [late]);
    });
    const [first, second] = place.bodies();
    expect([deferredIn(first), deferredIn(second)]).toEqual([300, 301]);
    expect(second!.messages[2]!.content[0]!.content).toEqual([{ type: "tool_reference", tool_name: "mcp__late__a" }]);
  });

  it("D09 a tool that a conversation does not say is loaded goes along by definition, as after a compaction", async () => {
    await using place = await session([[search("toolu_01", 7)], [say("Done.")], [say("Anew.")]]);
    await place.run([userMessage("Go.")]);
    await place.run([userMessage("A summary of what was.")]);
    const last = place.bodies().at(-1);
    expect(deferredIn(last)).toBe(299);
    expect(last!.tools.find(({ name }) => name === "mcp__many__tool_7")).not.toHaveProperty("defer_loading");
  });

  it("D09 Q10 nothing refers to a tool whose server has gone: the result says it in words", async () => {
    await using place = await session([[search("toolu_01", 7)], [say("Done.")], [say("On.")]]);
    const end = await place.run([userMessage("Go.")]);
    await place.haft.mcp.remove("many");
    await place.run([...end.messages, userMessage("On.")]);
    const last = place.bodies().at(-1);
    expect(last!.tools.some(({ name }) => name.startsWith("mcp__many"))).toBe(false);
    expect(JSON.stringify(last!.messages)).not.toContain("tool_reference");
    expect(JSON.stringify(last!.messages)).toContain("Loaded; call them");
  });

  it("D09 elsewhere the definitions are left out, and come with the request after the search", async () => {
    await using place = await session([[search("toolu_01", 7)], [say("Done.")]], false);
    await place.run([userMessage("Go.")]);
    const names = place.bodies().map(({ tools }) => tools.map(({ name }) => name).filter((name) => /^mcp/.test(name)));
    expect(names).toEqual([[], ["mcp__many__tool_7"]]);
    expect(JSON.stringify(place.bodies())).not.toMatch(/defer_loading|tool_reference|cache_control/);
  });

  it("D09 only Anthropic's own address and a model that can are told to keep tools back", async () => {
    const withholds = async (name: string, url?: string) =>
      (await openModel(name, { ANTHROPIC_API_KEY: "none", OPENAI_API_KEY: "none", ANTHROPIC_BASE_URL: url }))
        .withholdsTools;
    expect(await withholds("anthropic/claude-sonnet-4-5")).toBe(true);
    expect(await withholds("anthropic/claude-opus-5-5", "https://api.anthropic.com/v1")).toBe(true);
    for (const old of ["opus-4-1", "opus-4-1-20250805", "sonnet-4-20250514", "3-haiku-20240307"])
      expect([old, await withholds(`anthropic/claude-${old}`)]).toEqual([old, false]);
    expect(await withholds("anthropic/claude-opus-5-5", "http://127.0.0.1:8080/v1")).toBe(false);
    expect(await withholds("openai/gpt-5")).toBe(false);
  });
});
