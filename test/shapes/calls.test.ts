// Calls under the names of other systems: one pipeline for all of them.
import { toToolDefinitions } from "@haft/core/compat/agent-tool";
import { type RegisteredTool, type Step, Tool, toolFunctions } from "@haft/core/compat/tool-define";
import { defineTool } from "@haft/core/tool";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { serverEntry } from "../../packages/haft/test/support/mcp-workspace.ts";
import { closeSessions, shapeSession } from "./session.ts";

afterAll(closeSessions);

const context = { sessionId: "s", messageId: "m" };
const KEY = "provider-key-0123456789";

const Legacy: RegisteredTool = {
  name: "weather",
  description: "Tells the weather.",
  parameters: [{ name: "city", type: "string", description: "Where.", required: true }],
  async handler({ city }, { providerConfig, onMetadata }) {
    onMetadata?.({ title: `Asking with ${JSON.stringify(providerConfig)}`, metadata: { key: providerConfig?.apiKey } });
    if (city === "nowhere") return { success: false, error: `401 for ${providerConfig?.apiKey}` };
    return {
      success: true,
      data: { title: "Weather", output: `${city}: sun, ${providerConfig?.apiKey}`, metadata: {} },
    };
  },
};

async function open(...given: Parameters<typeof shapeSession>) {
  const session = await shapeSession(...given);
  const functions = toolFunctions(() => session.haft);
  await functions.initializeToolRegistry();
  return { ...session, ...functions };
}

it("C13 initializeToolRegistry opens the built-ins once and reports their number", async () => {
  const { haft } = await shapeSession();
  const lines: string[] = [];
  let opened = 0;
  const functions = toolFunctions(
    () => {
      opened++;
      return haft;
    },
    { log: (line) => lines.push(line) },
  );
  expect(() => functions.registerBuiltinToolsV2()).toThrow("initializeToolRegistry()");
  await Promise.all([functions.initializeToolRegistry(), functions.initializeToolRegistry()]);
  await functions.initializeToolRegistry();
  functions.registerBuiltinTools();
  functions.registerBuiltinToolsV2();
  expect(lines).toEqual([`[ToolRegistry] Initialized with ${haft.registry.entries().length} tools`]);
  expect(opened).toBe(1);
});

it("C02 E02 A43 a legacy handler runs through the pipeline; keys of the provider reach nothing that is kept", async () => {
  const { haft, registerTool, executeTool, unregisterTool, asked } = await open();
  registerTool(Legacy);
  const kept: string[] = [];
  haft.on((event) => kept.push(JSON.stringify(event)));
  const steps: Step[] = [];
  const updates: unknown[] = [];
  const ended = await executeTool(
    "weather",
    { city: "Rome" },
    {
      ...context,
      ...{ providerId: "acme", providerConfig: { apiKey: KEY, model: "small" }, toolCallId: "c1" },
      onStepStart: (step) => steps.push(step),
      onStepComplete: (step) => steps.push(step),
      onMetadata: (update) => updates.push(update),
    },
  );
  expect(ended).toEqual({
    success: true,
    data: { title: "Weather", output: "Rome: sun, [redacted key]", metadata: {} },
  });
  expect(asked).toEqual(["weather"]);
  expect(steps).toMatchObject([
    { type: "tool_call", status: "running", toolCallId: "c1", toolCall: { arguments: { city: "Rome" } } },
    { status: "completed", result: "Rome: sun, [redacted key]" },
  ]);
  expect(JSON.stringify(updates)).toContain('"model\\":\\"small');
  const failed = await executeTool("weather", { city: "nowhere" }, { ...context, providerConfig: { apiKey: KEY } });
  expect(failed).toEqual({ success: false, error: expect.stringContaining("401 for [redacted key]") });
  expect(JSON.stringify([ended, failed, steps, updates, kept])).not.toContain(KEY);
  expect((await executeTool("weather", {}, context)).error).toContain("city");
  expect(unregisterTool("weather")).toBe(true);
  expect((await executeTool("weather", { city: "Rome" }, context)).success).toBe(false);
});

it("C02 no tool of any form takes the name of another", async () => {
  const { registerTool, registerToolV2 } = await open();
  expect(() => registerTool({ ...Legacy, id: "Read" })).toThrow(/belongs to/);
  const execute = async () => ({ title: "", output: "", metadata: {} });
  const draft = { name: "x", category: "custom", description: "x", parameters: z.object({}), execute } as const;
  expect(() => registerToolV2(Tool.define("read_file", draft))).toThrow(/belongs to/);
  registerTool(Legacy);
  expect(() => registerToolV2(Tool.define("weather", { name: "x", category: "custom" }, async () => draft))).toThrow();
});

it("A43 settings and the folder of a call's context only tighten", async () => {
  const { executeTool, cwd } = await open();
  const off = { enableToolCalls: true, tools: { read: { enabled: false, autoExecute: false } } };
  const read = (more: object) => executeTool("Read", { file_path: "src/a.ts" }, { ...context, ...more });
  expect(await read({ workingDirectory: cwd })).toMatchObject({ success: true });
  expect((await read({ toolSettings: off })).error).toContain("tools.read.enabled");
  expect((await read({ toolSettings: { ...off, enableToolCalls: false } })).error).toContain("enableToolCalls");
  expect((await read({ workingDirectory: "/" })).error).toContain(cwd);
});

it("E02 one result for every form: title, output, metadata, or an error", async () => {
  const { executeTool, Tool: executor } = await open();
  expect(await executor.execute("Read", { file_path: "src/a.ts" })).toMatchObject({
    success: true,
    data: { output: expect.stringContaining("export const a"), metadata: expect.anything() },
  });
  expect((await executeTool("Raed", {}, context)).error).toContain("Read");
});

it("E03 executeToolDirectly: a remote call passes validation and permission like any other", async () => {
  const { haft, executeToolDirectly, isMCPTool, executeMCPTool, asked } = await open({
    settings: { mcpServers: { friendly: serverEntry("friendly") }, permissions: { deny: ["mcp__friendly__add"] } },
  });
  await haft.mcp.settled();
  const [name] = [...haft.registry.names()].filter((one) => one.startsWith("mcp__friendly__echo"));
  expect([isMCPTool(name!), isMCPTool("Read")]).toEqual([true, false]);
  const before = asked.length;
  const ended = await executeToolDirectly(name!, { text: "hello", message: "hello" }, context);
  expect([ended.success, JSON.stringify(ended.data)]).toEqual([true, expect.stringContaining("hello")]);
  expect(asked.slice(before)).toEqual([name]);
  expect((await executeToolDirectly(name!, { text: 5 } as never, context)).success).toBe(false);
  await expect(executeMCPTool("mcp__friendly__add", { a: 1, b: 2 })).rejects.toThrow();
  expect(await executeToolDirectly("Read", { file_path: "src/a.ts" }, context)).toMatchObject({ success: true });
});

it("C09 getAllToolsAsync runs every init; one that fails hides nobody else, and enabled leaves it out", async () => {
  const { haft, registerToolV2, getAllToolsAsync, getEnabledToolsAsync } = await open();
  const made = {
    description: "Late.",
    parameters: z.object({}),
    execute: async () => ({ title: "", output: "", metadata: {} }),
  };
  registerToolV2(Tool.define("late", { name: "Late", category: "custom" }, async () => made));
  registerToolV2(
    Tool.define("broken", { name: "Broken", category: "custom" }, async () => {
      throw new Error("no init");
    }),
  );
  haft.setTools({ tools: { Glob: { enabled: false } } });
  const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);
  const [all, enabled] = [await getAllToolsAsync(), await getEnabledToolsAsync()];
  expect(ids(all)).toEqual(expect.arrayContaining(["Read", "Glob", "late", "broken"]));
  expect(all.find(({ id }) => id === "late")).toMatchObject({ description: "Late.", enabled: true });
  expect(ids(enabled)).toEqual(expect.arrayContaining(["Read", "late"]));
  expect(ids(enabled).filter((id) => id === "Glob" || id === "broken")).toEqual([]);
});

it("D04 toToolDefinitions swaps the arguments: each value arrives in its own place", async () => {
  const seen: unknown[] = [];
  const [definition] = toToolDefinitions([
    {
      ...{ name: "spy", description: "Sees.", parameters: { type: "object" } },
      async execute(...given: readonly unknown[]) {
        seen.push(...given);
        return { content: [] };
      },
    },
  ]);
  const { signal } = new AbortController();
  const onUpdate = () => {};
  await definition!.execute("id", { a: 1 }, onUpdate, { ctx: true }, signal);
  expect(seen).toEqual(["id", { a: 1 }, signal, onUpdate]);
  expect([seen[2] === signal, seen[3] === onUpdate, definition!.label]).toEqual([true, true, "spy"]);
});

it("D10 the Skill of this form names the skills of the call before, in the next request", async () => {
  const { haft, registerToolV2, executeTool } = await open();
  const skill = Tool.define("load", { name: "Load", category: "custom", autoExecute: true }, async (ctx) => ({
    description: `Load one of: ${(ctx?.skills ?? []).map(({ name }) => name).join(", ")}`,
    parameters: z.object({}),
    execute: async () => ({ title: "", output: "", metadata: {} }),
  }));
  registerToolV2(skill);
  const described = async () => (await haft.offer()).tools.find(({ name }) => name === "load")?.description;
  expect(await described()).toBe("Load one of: ");
  await executeTool("load", {}, { ...context, skills: [{ name: "pdf" }, { name: "xlsx" }] });
  expect(await described()).toBe("Load one of: pdf, xlsx");
});

it("C01 createHaft takes a tool of every form as it is", async () => {
  const execute = async () => ({ title: "", output: "ok", metadata: {} });
  const forms: Record<string, object> = {
    own: defineTool({ name: "own", description: "", input: {}, effects: () => [], run: () => "ok" }),
    legacy: { ...Legacy, name: "legacy", handler: () => ({ success: true, data: "ok" }), parameters: [] },
    fixed: Tool.define("fixed", { name: "x", category: "custom", description: "x", parameters: z.object({}), execute }),
    late: Tool.define("late", { name: "x", category: "custom" }, async () => ({
      ...{ description: "x", parameters: z.object({}), execute },
    })),
    agent: {
      name: "agent",
      description: "",
      parameters: { type: "object" },
      execute: async () => ({ content: [{ type: "text", text: "ok" }] }),
    },
    built: { name: "built", inputSchema: z.object({}), call: async () => ({ data: "ok" }) },
    sema: {
      name: "sema",
      inputSchema: z.object({}),
      async *call() {
        yield { type: "result", data: "ok" };
      },
    },
    sdk: { name: "sdk", description: "", inputSchema: z.object({}), execute: async () => "ok" },
  };
  const { haft, asked } = await shapeSession({ tools: Object.values(forms) as never });
  const texts: Record<string, unknown> = {};
  for (const name of Object.keys(forms)) texts[name] = (await haft.call(name, {})).content;
  expect(texts).toEqual(
    Object.fromEntries(
      Object.keys(forms).map((name) => [name, [expect.objectContaining({ type: "text", text: "ok" })]]),
    ),
  );
  expect(asked).toEqual(Object.keys(forms).filter((name) => name !== "own"));
});
