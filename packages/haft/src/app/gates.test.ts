import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@haft/core/tool";
import { afterAll, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

const cwd = mkdtempSync(join(tmpdir(), "haft-gates-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** For each known tool, why it is absent; the empty text if it is offered. */
async function reasons(gates: object | undefined, more: HaftOptions = {}): Promise<ReadonlyMap<string, string>> {
  const settings = gates ? { gates: gates as Record<string, boolean | string> } : {};
  await using haft = await createHaft({ cwd, home: cwd, stateDir: false, env: {}, settings, ...more });
  const { tools, absent } = await haft.offer();
  return new Map([
    ...tools.map(({ name }) => [name, ""] as const),
    ...absent.map(({ name, why }) => [name, why] as const),
  ]);
}

const isClosed = (why: string | undefined): boolean => why?.includes("gates.") ?? true;

it.each([
  ["todoV2", ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]],
  ["tasks", ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]],
  ["worktree", ["EnterWorktree", "ExitWorktree"]],
  ["agentSwarms", ["TeamCreate", "TeamDelete"]],
  ["powershell", ["PowerShell"]],
  ["WEB_BROWSER_TOOL", ["WebBrowser"]],
  ["HISTORY_SNIP", ["Snip"]],
  ["config", ["Config"]],
  ["repl", ["REPL"]],
])("C15 V08 gates.%s turns its tools on and off, in the settings and in the environment", async (gate, names) => {
  const closed = (found: ReadonlyMap<string, string>) => names.filter((name) => isClosed(found.get(name)));
  expect(closed(await reasons({ [gate]: true }))).toEqual([]);
  expect(closed(await reasons({ [gate]: false }))).toEqual(names);
  expect(closed(await reasons(undefined, { env: { HAFT_GATES: gate } }))).toEqual([]);
  expect(closed(await reasons(undefined, { env: { HAFT_GATES: `flow, ${gate}=off` } }))).toEqual(names);
});

it("C15 gates.toolSearch off: there is no tool that loads others", async () => {
  expect((await reasons({ toolSearch: false })).get("ToolSearch")).toContain("gates.toolSearch");
});

it("D12 a host with its own search has no Glob and no Grep; by default they are there", async () => {
  const own = await reasons({ embeddedSearch: true });
  expect(["Glob", "Grep"].map((name) => own.get(name))).toEqual(Array(2).fill(expect.stringContaining("embedded")));
  const found = await reasons(undefined);
  expect(["Glob", "Grep"].map((name) => found.get(name))).toEqual(["", ""]);
  await using haft = await createHaft({ cwd, stateDir: false, settings: { gates: { embeddedSearch: true } } });
  expect((await haft.call("Glob", { pattern: "*" })).error?.code).toBe("tool_unavailable");
});

it("P07 each flag group is one set: KAIROS has Sleep and SendUserFile, COORDINATOR_MODE what does not delegate", async () => {
  const kairos = await reasons({ KAIROS: false });
  expect(["Sleep", "SendUserFile", "Brief"].map((name) => isClosed(kairos.get(name)))).toEqual([true, true, false]);
  const coordinator = await reasons({ COORDINATOR_MODE: true });
  const work = ["Bash", "Read", "Edit", "WebFetch"];
  expect(work.every((name) => coordinator.get(name)?.includes("gates.COORDINATOR_MODE"))).toBe(true);
  expect(isClosed(coordinator.get("AskUserQuestion"))).toBe(false);
  expect(work.map((name) => (kairos.get(name) === "" ? name : ""))).toEqual(work);
});

it("P06 the user type opens the internal set, and Tungsten is a name that only a host can fill", async () => {
  const own = defineTool({ name: "Tungsten", description: "Ours.", input: {}, effects: () => [], run: () => "ours" });
  const types: [object | undefined, HaftOptions][] = [
    [undefined, {}],
    [{ userType: "external" }, {}],
    [{ userType: "internal" }, {}],
    [undefined, { env: { USER_TYPE: "ant" } }],
  ];
  const found = await Promise.all(types.map(([gates, more]) => reasons(gates, { tools: [own], ...more })));
  expect(found.map((one) => [isClosed(one.get("REPL")), isClosed(one.get("Tungsten"))])).toEqual([
    [true, true],
    [true, true],
    [false, false],
    [false, false],
  ]);
  expect(found[0]!.get("Tungsten")).toContain("gates.userType");
  await using haft = await createHaft({ cwd, stateDir: false, settings: { gates: { userType: "internal" } } });
  expect(haft.registry.get("Tungsten")).toBeUndefined();
  haft.registry.add({ origin: "plugin", name: "eager" }, [own]);
  expect((await haft.call("Tungsten", {})).error?.message).toContain("only the host");
});

it("V08 a misspelt gate is reported with the names of the real ones", async () => {
  await using haft = await createHaft({ cwd, stateDir: false, home: cwd, env: { HAFT_GATES: "worktrees=off" } });
  expect(haft.notices).toContainEqual(
    expect.objectContaining({
      message: "gates.worktrees has no effect yet.",
      cure: expect.stringContaining("worktree,"),
    }),
  );
});
