import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definitionTokens } from "@haft/core/registry/deferral";
import { contentsText, defineTool } from "@haft/core/tool";
import { afterEach, describe, expect, it } from "vitest";
import { calls, finish, says, scriptedModel } from "../../../test/support/scripted-model.ts";
import { runAgent } from "../../agent/index.ts";
import { createHaft } from "../create-haft.ts";
import type { Haft } from "../haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const words = ["create", "list", "update", "delete", "search", "export", "import", "archive"];

/** Tools as large as those of real servers: about 1,600 characters each. */
const tools = Array.from({ length: 272 }, (_, at) => {
  const name = `mcp__server-${at % 20}__${words[at % words.length]}_record_${at}`;
  const property = (key: string) =>
    [key, { type: "string", description: `${key} of record ${at}. `.repeat(8) }] as const;
  return defineTool({
    name,
    description: `Tool ${at}: ${words[at % words.length]} a record. ${"It has a long text about when to use it. ".repeat(12)}`,
    input: { type: "object", properties: Object.fromEntries(["id", "title", "body", "owner"].map(property)) },
    effects: () => [],
    run: () => `ran ${at}`,
  });
});

/** A session with 272 tools from elsewhere; nothing of the real user is read. */
async function session(gate?: string | boolean) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-defer-")));
  folders.push(folder);
  const file = join(folder, "settings.json");
  writeFileSync(file, JSON.stringify(gate === undefined ? {} : { gates: { toolSearch: gate } }));
  return createHaft({ cwd: folder, home: folder, stateDir: false, env: {}, settings: file, tools });
}

const names = async (haft: Haft, deferred = true) => (await haft.offer({ deferred })).tools.map(({ name }) => name);
const isRemote = (name: string) => name.startsWith("mcp__");

describe("deferred tools of a session", () => {
  it("D09 the first request carries at most 4 % of what the definitions of 272 tools take", async () => {
    await using haft = await session();
    const whole = tools.reduce((sum, tool) => sum + definitionTokens(tool as never), 0);
    const { tools: offered, deferred } = await haft.offer({ deferred: true });
    const search = offered.find(({ name }) => name === "ToolSearch")!;
    expect(deferred.filter(isRemote)).toHaveLength(272);
    expect(whole / 272).toBeGreaterThan(350);
    expect(definitionTokens(search.entry.tool, search.description) / whole).toBeLessThan(0.04);
    expect(offered.map(({ name }) => name).filter(isRemote)).toEqual([]);
  });

  it("D06 D09 request by request: the name, ToolSearch, then the definition, also after the messages are gone", async () => {
    await using haft = await session();
    const [wanted, other] = [tools[3]!.name, tools[4]!.name];
    const model = scriptedModel([
      [calls("c1", wanted, {}), calls("c2", "ToolSearch", { query: `select:${wanted}` }), finish()],
      [calls("c3", wanted, {}), calls("c4", other, {}), finish()],
      says("Done."),
    ]);
    const user = { role: "user", content: [{ type: "text", text: "go" }] } as const;
    const options = { model, offer: () => haft.offer({ deferred: true }), executor: haft };
    const end = await runAgent({ ...options, messages: [user] });
    expect(end.reason).toBe("answered");
    const carried = model.requests.map(({ tools: sent }) => sent.map(({ name }) => name).filter(isRemote));
    expect(carried).toEqual([[], [wanted], [wanted]]);
    const texts = JSON.stringify(end.messages);
    expect(texts).toContain(`${wanted} is not loaded`);
    expect(texts).toContain("ran 3");
    expect(texts).toContain(`${other} is not loaded`);
    // A compacted conversation is a new one for the loop; what was loaded is not part of it.
    const next = scriptedModel([says("Done.")]);
    await runAgent({ ...options, model: next, messages: [user] });
    expect(next.requests[0]?.tools.map(({ name }) => name).filter(isRemote)).toEqual([wanted]);
  });

  it("D09 a resumed session has the tools that it had loaded", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-defer-")));
    folders.push(folder);
    const open = (session: string) =>
      createHaft({
        cwd: folder,
        home: folder,
        stateDir: join(folder, "state"),
        env: {},
        settings: false,
        tools,
        session,
      });
    const [wanted, other] = [tools[3]!.name, tools[4]!.name];
    {
      await using haft = await open("one");
      expect((await names(haft)).filter(isRemote)).toEqual([]);
      for (const name of [other, wanted]) await haft.call("ToolSearch", { query: `select:${name}` });
    }
    await using again = await open("one");
    expect((await names(again)).filter(isRemote)).toEqual([other, wanted]);
    await using fresh = await open("two");
    expect((await names(fresh)).filter(isRemote)).toEqual([]);
  });

  it("N13 the gate: off defers nothing, a share moves the limit, and without a word it is a tenth", async () => {
    for (const [gate, count] of [
      [false, 272],
      ["auto:100", 272],
      ["auto:1", 0],
      ["auto", 0],
      [true, 0],
      [undefined, 0],
    ] as const) {
      await using haft = await session(gate);
      const offered = await names(haft);
      expect([gate, offered.filter(isRemote).length, offered.includes("ToolSearch")]).toEqual([
        gate,
        count,
        // Built-in tools that are rarely needed are deferred in any case but with the gate off.
        gate !== false,
      ]);
    }
    await expect(session("sometimes")).rejects.toThrow('gates.toolSearch cannot be "sometimes"');
    await expect(session("auto:101")).rejects.toThrow("gates.toolSearch");
  });

  it("D09 a host that takes the list once gets every definition, and may call every tool", async () => {
    await using haft = await session(true);
    const full = await names(haft, false);
    expect([full.filter(isRemote).length, full.includes("ToolSearch")]).toEqual([272, false]);
    expect(contentsText((await haft.call(tools[0]!.name, {})).content)).toBe("ran 0");
    expect(Object.keys(haft.for("ai-sdk").tools).filter(isRemote)).toHaveLength(272);
  });

  it("D09 a narrowed agent sees, finds and loads only what it was given", async () => {
    await using haft = await session(true);
    await using child = haft.with({ tools: ["ToolSearch", tools[5]!.name, tools[6]!.name], agent: { id: "child" } });
    expect((await child.offer({ deferred: true })).deferred).toEqual([tools[5]!.name, tools[6]!.name].toSorted());
    const found = await child.call("ToolSearch", { query: `select:${tools[5]!.name},${tools[7]!.name}` });
    expect(contentsText(found.content)).toContain(`There is no tool "${tools[7]!.name}"`);
    expect((await names(child)).filter(isRemote)).toEqual([tools[5]!.name]);
    expect((await names(haft)).filter(isRemote)).toEqual([]);
  });

  it("N13 runs unasked in every mode, and a rule may still forbid it", async () => {
    for (const mode of ["plan", "dontAsk", "default"] as const) {
      await using haft = await session();
      const { decision } = await haft.with({ mode }).explain("ToolSearch", { query: "x" });
      expect(decision?.decision).toBe("allow");
    }
    await using haft = await session();
    const denied = haft.with({ rules: { deny: ["ToolSearch"] } });
    expect((await denied.explain("ToolSearch", { query: "x" })).error?.code).toBe("denied_by_rule");
    expect((await denied.call("ToolSearch", { query: "x" })).error?.code).toBe("denied_by_rule");
  });
});
