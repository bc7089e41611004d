import { describe, expect, it } from "vitest";
import { testMachine, textOf } from "../../../test/support/machine.ts";
import { Get } from "../../../test/support/tools.ts";
import { createExecutor } from "../../executor/index.ts";
import { defineTool, type ToolLike } from "../../tool/index.ts";
import { createOffers } from "../index.ts";
import { createDeferral, definitionTokens } from "./index.ts";

/** The smallest tool that loads others. */
const Loader = defineTool({
  name: "Loader",
  description: ({ deferred = [] }) => `Names: ${deferred.join(" ")}`,
  input: { type: "object", properties: { query: { type: "string" } }, required: ["query"] } as const,
  offer: "always",
  can: [],
  effects: () => [],
  run: ({ query }, { ports }) => {
    const { tools } = ports.catalog!.search(query, 5);
    ports.catalog!.load(tools.map(({ name }) => name));
    return tools.map(({ name, isLoaded }) => (isLoaded ? `had ${name}` : name)).join(" ");
  },
});

const named = (name: string, more: Partial<typeof Get> = {}) => ({ ...Get, name, ...more });
const remote = (count: number) =>
  Array.from({ length: count }, (_, at) => named(`mcp__srv__tool_${at}`, { description: `Does thing ${at}.` }));

/** A machine with a server's tools beside its own, and the offers of two of its agents. */
function setup(own: readonly ToolLike[], servers: readonly ToolLike[], { maxTokens = 0, denied = "" } = {}) {
  const built = testMachine([Loader, ...own], {
    available: ({ tool }) => (tool.name === denied ? { absent: "denied" } : true),
  });
  built.registry.add({ origin: "mcp", name: "srv" }, servers);
  const deferral = createDeferral({ loader: "Loader", maxTokens, state: built.machine.ports.state });
  const machine = { ...built.machine, deferral };
  const offersFor = (id: string) =>
    createOffers({
      registry: built.registry,
      available: machine.available,
      context: () => ({ ...machine.offerContext(), agent: { id } }),
      deferral,
    });
  const offers = offersFor("main");
  const executor = createExecutor(machine);
  let calls = 0;
  return {
    ...built,
    machine,
    deferral,
    offersFor,
    current: () => offers.current(),
    names: async () => (await offers.current()).tools.map(({ name }) => name),
    call: async (tool: string, input: unknown) => (await executor.run([{ id: `c${++calls}`, tool, input }]))[0]!,
  };
}

describe("deferred tools", () => {
  it("A15 D09 a deferred tool is a name until it is loaded; then its definition is in the next request and stays", async () => {
    const { current, names, call } = setup([Get, named("Rare", { offer: "deferred" })], []);
    const first = await current();
    expect([first.tools.map(({ name }) => name), first.deferred]).toEqual([["Loader", "Get"], ["Rare"]]);
    expect(first.tools[0]?.description).toBe("Names: Rare");
    expect(JSON.stringify(first.absent)).toContain("until Loader loads it");

    const early = await call("Rare", { path: "a" });
    expect(early.result.error).toMatchObject({
      code: "tool_unavailable",
      hint: expect.stringContaining('Loader with {"query": "select:Rare"}'),
    });
    expect(textOf(await call("Loader", { query: "select:Rare" }))).toBe("Rare");
    expect(await names()).toEqual(["Loader", "Get", "Rare"]);
    expect((await call("Rare", { path: "missing" })).result.error?.code).toBe("file_not_found");
    expect(textOf(await call("Loader", { query: "select:Rare,Get" }))).toBe("had Rare had Get");
    expect(await names()).toEqual(["Loader", "Get", "Rare"]);
  });

  it("D09 the list of loaded tools is state of the session, not of the messages, and each agent has its own", async () => {
    const { offersFor, machine, deferral, call, current } = setup([], remote(3));
    await current();
    await call("Loader", { query: "select:mcp__srv__tool_1" });
    const again = createDeferral({ loader: "Loader", maxTokens: 0, state: machine.ports.state });
    expect([deferral.loaded("main"), again.loaded("main")]).toEqual([["mcp__srv__tool_1"], ["mcp__srv__tool_1"]]);
    expect((await offersFor("child").current()).deferred).toHaveLength(3);
    expect(deferral.isDeferred("mcp__srv__tool_1", "child")).toBe(true);
    expect((await current()).deferred).toHaveLength(2);
  });

  it("A16 always beats everything: the whole definition is in the first request", async () => {
    const always = named("mcp__srv__skill", { offer: "always" });
    const { names } = setup([named("Skill", { offer: "always" })], [...remote(2), always]);
    expect(await names()).toEqual(["Loader", "Skill", "mcp__srv__skill"]);
  });

  it("D09 below the limit everything is offered in the usual order, and the loader is not", async () => {
    const { current } = setup([Get], remote(3), { maxTokens: 10_000 });
    const { tools, deferred, absent } = await current();
    expect(tools.map(({ name }) => name)).toEqual(["Get", "mcp__srv__tool_0", "mcp__srv__tool_1", "mcp__srv__tool_2"]);
    expect([deferred, absent]).toEqual([[], [{ name: "Loader", why: "all tools are offered directly" }]]);
  });

  it("D09 a definition that a request has carried in full stays when more tools arrive", async () => {
    const first = remote(3);
    const limit = first.reduce((sum, tool) => sum + definitionTokens(tool as never), 0) + 10;
    const { registry, names, current } = setup([Get], first, { maxTokens: limit });
    expect(await names()).toHaveLength(4);
    registry.add({ origin: "mcp", name: "more" }, [named("mcp__more__a"), named("mcp__more__b")]);
    expect(await names()).toEqual(["Loader", "Get", ...first.map(({ name }) => name)]);
    expect((await current()).deferred).toEqual(["mcp__more__a", "mcp__more__b"]);
  });

  it("D09 loading appends: an earlier definition keeps its place, and the loader its text", async () => {
    const { current, call } = setup([Get], remote(9));
    const before = await current();
    await call("Loader", { query: "select:mcp__srv__tool_7" });
    await call("Loader", { query: "select:mcp__srv__tool_2" });
    const after = await current();
    const shown = (offer: typeof before) => offer.tools.map(({ name, description }) => `${name}: ${description}`);
    expect(shown(after).slice(0, before.tools.length)).toEqual(shown(before));
    expect(after.tools.slice(-2).map(({ name }) => name)).toEqual(["mcp__srv__tool_7", "mcp__srv__tool_2"]);
  });

  it("D09 without an available loader nothing is deferred, for nothing could be loaded", async () => {
    const built = setup([named("Rare", { offer: "deferred" })], remote(2), { denied: "Loader" });
    expect(await built.names()).toEqual(["Rare", "mcp__srv__tool_0", "mcp__srv__tool_1"]);
    expect((await built.current()).deferred).toEqual([]);
  });

  it("D09 a tool that is not available is neither named nor found nor loaded", async () => {
    const built = setup([], remote(3), { denied: "mcp__srv__tool_1" });
    expect((await built.current()).deferred).toEqual(["mcp__srv__tool_0", "mcp__srv__tool_2"]);
    expect(textOf(await built.call("Loader", { query: "select:mcp__srv__tool_1" }))).toBe("");
    expect(textOf(await built.call("Loader", { query: "thing 1" }))).not.toContain("_1");
  });

  it("D09 a program that never saw an offer, and a call of a tool, are held to nothing", async () => {
    const Outer = defineTool({
      name: "Outer",
      description: "Calls another tool.",
      input: { type: "object", properties: {} } as const,
      effects: () => [],
      run: async (_, ctx) => (await ctx.invoke("mcp__srv__tool_0", { path: "x" })).error?.code ?? "ok",
    });
    const { call, current } = setup([Outer], remote(1));
    expect((await call("mcp__srv__tool_0", { path: "x" })).result.error?.code).toBe("file_not_found");
    await current();
    expect((await call("mcp__srv__tool_0", { path: "x" })).result.error?.code).toBe("tool_unavailable");
    expect(textOf(await call("Outer", {}))).toBe("file_not_found");
  });

  it("D09 a tool that has come since the last request is loaded, and not called known", async () => {
    const { registry, current, call, names } = setup([Get], remote(1));
    await current();
    registry.add({ origin: "mcp", name: "late" }, [named("mcp__late__a")]);
    expect(textOf(await call("Loader", { query: "select:mcp__late__a,Get" }))).toBe("mcp__late__a had Get");
    expect(await names()).toEqual(["Loader", "Get", "mcp__late__a"]);
    expect(textOf(await call("Loader", { query: "select:mcp__late__a" }))).toBe("had mcp__late__a");
  });

  it("N13 tools that came later are found: the index follows the registry", async () => {
    const { registry, call } = setup([], remote(1));
    expect(textOf(await call("Loader", { query: "umbrella" }))).toBe("");
    registry.add({ origin: "plugin", name: "p" }, [named("Rain", { description: "Opens an umbrella." })]);
    expect(textOf(await call("Loader", { query: "umbrella" }))).toContain("Rain");
    registry.remove("Rain");
    expect(textOf(await call("Loader", { query: "umbrella" }))).toBe("");
  });
});
