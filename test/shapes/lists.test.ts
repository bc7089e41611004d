// Lists of tools under the names of other systems, over one real session.
import { buildToolFunctions } from "@haft/core/compat/build-tool";
import { ToolRegistry } from "@haft/core/compat/declarative";
import { buildTools, semaFunctions } from "@haft/core/compat/sema";
import { toolFunctions, toToolParameters } from "@haft/core/compat/tool-define";
import { defineTool } from "@haft/core/tool";
import { afterAll, expect, it } from "vitest";
import { serverEntry } from "../../packages/haft/test/support/mcp-workspace.ts";
import { closeSessions, shapeSession } from "./session.ts";

afterAll(closeSessions);

const TWELVE = {
  Bash: false,
  Glob: true,
  Grep: true,
  Read: true,
  Write: false,
  Edit: false,
  NotebookEdit: false,
  TodoWrite: false,
  Task: false,
  Skill: false,
  AskUserQuestion: false,
  ExitPlanMode: false,
};

it("C05 getBuiltinTools has the twelve of the table, each read-only or not as there", async () => {
  const { haft } = await shapeSession();
  const { getBuiltinTools } = semaFunctions(haft);
  const tools = getBuiltinTools();
  const found = Object.keys(TWELVE).map((name) => {
    const canonical = haft.registry.get(name)?.tool.name;
    return [name, tools.find((tool) => tool.name === canonical)?.isReadOnly()];
  });
  expect(Object.fromEntries(found)).toEqual(TWELVE);
});

it("C06 C07 getTools takes names in any spelling, nothing, or the rules of a session; unknown names are reported", async () => {
  const { haft } = await shapeSession();
  const { getTools } = semaFunctions(haft);
  const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);
  expect(names(getTools(["grep", "Glob", "read_file"]))).toEqual(names(getTools(["Read", "Grep", "Glob"])));
  expect(names(getTools(null))).toEqual(names(getTools()));
  expect(() => getTools(["Read", "Grpe"])).toThrow(
    expect.objectContaining({ code: "unknown_tool", hint: expect.stringContaining("Grep") }),
  );
  const built = buildToolFunctions(haft);
  expect(names(built.getTools(["Read"]))).toEqual(["Read"]);
  const base = names(built.getAllBaseTools());
  const context = { alwaysDenyRules: { user: ["Edit(src/**)", "WebFetch"], session: ["Bash"] } };
  expect(base.filter((name) => !names(built.getTools(context)).includes(name))).toEqual(["Bash", "WebFetch"]);
  expect(built.findToolByName(built.getAllBaseTools(), "read_file")?.name).toBe("Read");
});

it("C15 getAllBaseTools is assembled anew: a tool that a person switches off is gone from the next list", async () => {
  const { haft } = await shapeSession();
  const { getAllBaseTools } = buildToolFunctions(haft);
  expect(getAllBaseTools().some(({ name }) => name === "Glob")).toBe(true);
  haft.setTools({ tools: { Glob: { enabled: false } } });
  expect(getAllBaseTools().some(({ name }) => name === "Glob")).toBe(false);
});

it("C08 getToolInfos tells which tools useTools leaves, the remote ones too", async () => {
  const { haft } = await shapeSession({
    settings: { useTools: ["Read", "Skill"], mcpServers: { friendly: serverEntry("friendly") } },
  });
  await haft.mcp.settled();
  const infos = semaFunctions(haft).getToolInfos();
  const statusOf = (name: string) => infos.find((info) => info.name === name)?.status;
  expect([statusOf("Read"), statusOf("Bash")]).toEqual(["enable", "disable"]);
  expect(infos.filter(({ name }) => name.startsWith("mcp__friendly__")).map(({ status }) => status)).toContain(
    "disable",
  );
  expect(infos.every(({ description }) => description.length > 0)).toBe(true);
});

it("C10 C14 D01 getToolsByServer, discoverAllTools and buildTools with a real server", async () => {
  const { haft } = await shapeSession({ settings: { mcpServers: { friendly: serverEntry("friendly") } } });
  await haft.mcp.settled();
  const registry = new ToolRegistry(haft);
  const own = registry.getToolsByServer("friendly");
  expect(own.length).toBeGreaterThan(2);
  expect(own.every(({ name }) => name.startsWith("mcp__friendly__"))).toBe(true);
  expect(registry.getToolsByServer("nobody")).toEqual([]);
  expect(registry.getFunctionDeclarations().map(({ name }) => name)).toContain(own[0]!.name);
  haft.registry.remove(own[0]!.name);
  haft.mcp.add({ name: "gone", transport: "stdio", command: "/nowhere/server", args: [] } as never);
  await registry.discoverAllTools();
  expect(registry.getTool("Read")?.kind).toBe("read");
  expect(registry.getToolsByServer("friendly").length).toBeGreaterThan(1);

  const [sdk] = buildTools(semaFunctions(haft).getTools(["Read"]));
  expect(sdk).toEqual({
    name: "Read",
    description: expect.stringContaining("file"),
    input_schema: expect.objectContaining({
      type: "object",
      properties: expect.objectContaining({ file_path: expect.anything() }),
    }),
  });
});

it("A44 a ToolDefinition is plain data, derived from any schema", async () => {
  const Mixed = defineTool({
    name: "Mixed",
    title: "Mixed things",
    description: "Takes many.",
    autoExecute: true,
    input: {
      type: "object",
      properties: {
        size: { type: "integer", description: "How big." },
        kind: { enum: ["a", "b"] },
        when: { anyOf: [{ type: "null" }, { type: "boolean" }] },
        list: { type: "array", items: {} },
        at: { $ref: "#/$defs/place" },
      },
      required: ["size"],
      $defs: { place: { type: "object", properties: {}, description: "A place." } },
    },
    effects: () => [],
    run: () => "",
  });
  const { haft } = await shapeSession({
    tools: [Mixed],
    settings: { mcpServers: { friendly: serverEntry("friendly") } },
  });
  await haft.mcp.settled();
  const functions = toolFunctions(() => haft);
  await functions.initializeToolRegistry();
  const all = await functions.getAllToolsAsync();
  expect(JSON.parse(JSON.stringify(all))).toEqual(all);
  expect(all.find(({ id }) => id === "Mixed")).toEqual({
    ...{ id: "Mixed", name: "Mixed things", description: "Takes many.", category: "custom", source: "custom" },
    ...{ enabled: true, autoExecute: true },
    parameters: [
      { name: "size", type: "number", description: "How big.", required: true },
      { name: "kind", type: "string", description: "", required: false, enum: ["a", "b"] },
      { name: "when", type: "boolean", description: "", required: false },
      { name: "list", type: "array", description: "", required: false },
      { name: "at", type: "object", description: "A place.", required: false },
    ],
  });
  const remote = all.find(({ id }) => id.startsWith("mcp:friendly:"));
  expect(remote).toMatchObject({ source: "mcp", serverId: "friendly", serverName: "friendly", category: "mcp" });
  expect(all.find(({ id }) => id === "Bash")).toMatchObject({ source: "builtin", category: "builtin" });
  expect(toToolParameters({ anyOf: [{ properties: { a: {} }, required: ["a"] }] })).toMatchObject([
    { required: false },
  ]);
});

it("A06 the flat list says of every tool where it comes from, of a remote one its server, and shows icons", async () => {
  const Own = defineTool({
    name: "Own",
    description: "x",
    input: { type: "object" },
    effects: () => [],
    run: () => "",
  });
  const list = [{ name: "found", description: "x", parametersJsonSchema: { type: "object" } }];
  const { haft } = await shapeSession({
    tools: [Own],
    settings: {
      mcpServers: { friendly: serverEntry("friendly") },
      discovery: { command: `echo '${JSON.stringify(list)}'`, callCommand: "cat" },
    },
  });
  await haft.mcp.settled();
  for (const origin of ["plugin", "client"] as const)
    haft.registry.add({ origin, name: "kit", icon: "https://icons.example/kit.png" }, [
      { ...Own, name: `Of_${origin}` },
    ]);
  const functions = toolFunctions(() => haft);
  await functions.initializeToolRegistry();
  const all = await functions.getAllToolsAsync();
  expect(all).toHaveLength(haft.registry.entries().length);
  const kinds = new Map(
    all.map(({ id, category, source, serverId, serverName, icon }) => [
      id,
      [category, source, serverId, serverName, icon],
    ]),
  );
  expect(kinds.get("Read")).toEqual(["builtin", "builtin", undefined, undefined, undefined]);
  expect(kinds.get("Own")?.slice(0, 3)).toEqual(["custom", "custom", undefined]);
  expect(kinds.get("found")?.slice(0, 3)).toEqual(["discovered", "discovered", undefined]);
  for (const origin of ["plugin", "client"])
    expect(kinds.get(`Of_${origin}`)).toEqual([origin, origin, undefined, undefined, "https://icons.example/kit.png"]);
  expect(all.find(({ id }) => id.endsWith("__echo"))?.icon).toBe("https://icons.example/echo.png");
  const remote = all.filter(({ category }) => category === "mcp");
  expect(remote.length).toBeGreaterThan(2);
  for (const { id, source, serverId, serverName } of remote) {
    expect([source, serverId, serverName]).toEqual(["mcp", "friendly", "friendly"]);
    expect(id).toMatch(/^mcp:friendly:/);
  }
});
