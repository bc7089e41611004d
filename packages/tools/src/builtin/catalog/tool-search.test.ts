import { createExecutor, type Machine } from "@haft/core/executor";
import { createOffers } from "@haft/core/registry";
import { createDeferral, type PendingSources } from "@haft/core/registry/deferral";
import { contentsText, defineTool, staticTraits } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { testMachine } from "../../../../core/test/support/machine.ts";
import { type ToolSearchOutput, toolSearch } from "./tool-search.ts";

const remote = (name: string, description: string) =>
  defineTool({ name, description, input: { type: "object", properties: {} } as const, run: () => "done" });

const ISSUE = remote("mcp__tracker__create_issue", "Create an issue. Needs a project.");
const LIST = remote("mcp__tracker__list_issues", "List issues.");
const MAIL = remote("mcp__letters__send_message", "Send an e-mail.");

/** A machine with one server's tools, in which others may still be on their way. */
function setup({ arrivals, changes = {} }: { arrivals?: PendingSources; changes?: Partial<Machine> } = {}) {
  const built = testMachine([toolSearch], changes);
  built.registry.add({ origin: "mcp", name: "tracker" }, [ISSUE, LIST]);
  const offerContext = () => ({ ...built.machine.offerContext(), ports: new Set(["catalog"]) });
  const state = built.machine.ports.state;
  const deferral = createDeferral({ loader: "ToolSearch", maxTokens: 0, state, ...(arrivals ? { arrivals } : {}) });
  const machine: Machine = { ...built.machine, offerContext, deferral };
  const executor = createExecutor(machine);
  const { registry, available } = machine;
  const offers = createOffers({ registry, available, context: offerContext, deferral });
  let calls = 0;
  return {
    registry,
    deferral,
    offer: () => offers.current(),
    async search(query: string, more: object = {}, signal?: AbortSignal) {
      const call = { id: `c${++calls}`, tool: "ToolSearch", input: { query, ...more } };
      const [outcome] = await executor.run([call], signal ? { signal } : {});
      const { result } = outcome!;
      return { outcome: outcome!, text: contentsText(result.content), output: result.output as ToolSearchOutput };
    },
  };
}

/** Servers that are on their way until `arrive` is called. */
function onTheWay(names: string[], failed: { name: string; why: string }[] = []) {
  let wake = (): void => {};
  let waits = 0;
  const arrivals: PendingSources = {
    connecting: () => names,
    failed: () => failed,
    settled: (signal) => {
      waits++;
      return new Promise((resolve) => {
        wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    },
  };
  return {
    arrivals,
    waits: () => waits,
    arrive() {
      names.length = 0;
      wake();
    },
  };
}

describe("ToolSearch", () => {
  it("N13 lists the names by server, finds by words and loads what it found", async () => {
    const { offer, search } = setup();
    const [listed, ...rest] = (await offer()).tools;
    expect(rest).toEqual([]);
    expect(listed?.description).toContain("mcp__tracker__* = create_issue, list_issues");
    const { text, output } = await search("open a new issue", { max_results: 1 });
    expect(output.tools).toEqual([
      expect.objectContaining({ name: ISSUE.name, server: "tracker", summary: "Create an issue.", isLoaded: false }),
    ]);
    expect(text).toBe("Loaded; call them from your next message on:\n- mcp__tracker__create_issue: Create an issue.");
    expect((await offer()).tools.map(({ name }) => name)).toEqual(["ToolSearch", ISSUE.name]);
  });

  it("N13 select loads by exact name, says what was loaded before, and corrects what is misspelt", async () => {
    const { search, offer } = setup();
    await offer();
    await search(`select:${LIST.name}`);
    const { text } = await search(`select:${LIST.name},${ISSUE.name},ToolSearch,mcp__tracker__list_isues`);
    expect(text).toContain(`call them from your next message on:\n- ${ISSUE.name}`);
    expect(text).toMatch(/Already among your tools:\n- mcp__tracker__list_issues.*\n- ToolSearch/);
    expect(text).toContain('no tool "mcp__tracker__list_isues". Did you mean mcp__tracker__list_issues?');
  });

  it("N13 a hidden tool is never mentioned, and many unknown names cost little", async () => {
    const available: Machine["available"] = ({ tool }) => (tool.name === LIST.name ? { absent: "denied" } : true);
    const { registry, search } = setup({ changes: { available } });
    const { output } = await search("select:mcp__tracker__list_isues,mcp__tracker__create_isue");
    expect(output.missing).toEqual([
      { name: "mcp__tracker__list_isues" },
      { name: "mcp__tracker__create_isue", nearest: ISSUE.name },
    ]);
    const tools = Array.from({ length: 5_000 }, (_, at) => remote(`mcp__big__do_things_${at}`, "Does it."));
    registry.add({ origin: "mcp", name: "big" }, tools);
    await search("select:ToolSearch");
    const wrong = Array.from({ length: 80 }, (_, at) => `mcp_gib_do_a_thin_${at}z`);
    const start = performance.now();
    expect((await search(`select:${wrong.join(",")}`)).output.missing).toHaveLength(80);
    expect(performance.now() - start).toBeLessThan(patience(1_500));
  });

  it("N13 nothing found says so, with the cure and the servers that failed", async () => {
    const { arrivals } = onTheWay([], [{ name: "letters", why: "it exited with 1" }]);
    const { text, outcome } = await setup({ arrivals }).search("+telescope");
    expect(outcome.status).toBe("ok");
    expect(text).toContain('No tool matches "+telescope"');
    expect(text).toContain("letters could not be reached: it exited with 1");
  });

  it("N13 waits for servers that are still connecting, and finds what they bring", async () => {
    const servers = onTheWay(["letters"]);
    const { search, registry, offer } = setup({ arrivals: servers.arrivals });
    expect((await offer()).tools[0]?.description).toContain("still connecting, with tools to come: letters");
    const searching = search("send an e-mail", { max_results: 1 });
    setTimeout(() => {
      registry.add({ origin: "mcp", name: "letters" }, [MAIL]);
      servers.arrive();
    }, 20);
    const { output } = await searching;
    expect(output.tools.map(({ name }) => name)).toEqual([MAIL.name]);
    expect(output.connecting).toEqual([]);
  });

  it("N13 does not wait when everything was named and is there", async () => {
    const servers = onTheWay(["letters"]);
    await setup({ arrivals: servers.arrivals }).search(`select:${LIST.name}`);
    expect(servers.waits()).toBe(0);
  });

  it("N13 the wait has an end, and a server that was waited for in vain is not waited for again", async () => {
    const servers = onTheWay(["slow"]);
    const clock = { now: () => 0, sleep: (ms: number) => (ms === 5_000 ? Promise.resolve() : Promise.reject(ms)) };
    const ports = { ...testMachine([]).machine.ports, clock };
    const { search } = setup({ arrivals: servers.arrivals, changes: { ports } });
    expect((await search("issue")).output.tools).toHaveLength(2);
    expect((await search("issue")).output.tools).toHaveLength(2);
    expect(servers.waits()).toBe(1);
  });

  it("N13 a cancelled wait ends at once, and the call is cancelled", async () => {
    const user = new AbortController();
    const { search } = setup({ arrivals: onTheWay(["slow"]).arrivals });
    setTimeout(() => user.abort(), 10);
    expect((await search("issue", {}, user.signal)).outcome.status).toBe("cancelled");
  });

  it("N13 has no effects: it never asks, takes no lock and counts as a search", async () => {
    const { search } = setup();
    const { outcome } = await search("issue");
    expect(outcome.effects).toEqual([]);
    expect(outcome.traits).toMatchObject({ kind: "search", isReadOnly: true, isConcurrencySafe: true });
    expect(staticTraits(toolSearch.can, toolSearch.override)).toMatchObject({ kind: "search", isReadOnly: true });
  });

  it("N13 is not there where nothing is deferred", () => {
    const context = { cwd: "/", agent: { id: "main" }, platform: "linux", tools: new Set<string>(), mode: "default" };
    expect(toolSearch.when?.({ ...context, ports: new Set(["files"]) })).toEqual({
      absent: expect.stringContaining("gates.toolSearch"),
    });
    expect(toolSearch.when?.({ ...context, ports: new Set(["catalog"]) })).toBe(true);
  });

  it("N13 the description holds as many of ten thousand names as fit, and counts the others", async () => {
    const { registry, offer } = setup();
    for (let server = 0; server < 20; server++) {
      const tools = Array.from({ length: 500 }, (_, at) => remote(`mcp__big${server}__do_a_thing_${at}`, "Does it."));
      registry.add({ origin: "mcp", name: `big${server}` }, tools);
    }
    const { description } = (await offer()).tools[0]!;
    expect(description.length).toBeLessThan(30_000);
    expect(description).toContain("do_a_thing_499");
    expect(description).toContain("mcp__big9__* = 500 tools (search by words)");
  });

  it("N13 a server with very many tools costs the others none of their names", async () => {
    const { registry, offer } = setup();
    const tools = Array.from({ length: 3_000 }, (_, at) => remote(`mcp__huge__do_a_thing_${at}`, "Does it."));
    registry.add({ origin: "mcp", name: "huge" }, tools);
    registry.add({ origin: "mcp", name: "letters" }, [MAIL]);
    const { description } = (await offer()).tools[0]!;
    expect(description).toContain("mcp__huge__* = 3000 tools (search by words)");
    expect(description).toContain("mcp__letters__* = send_message");
  });
});
