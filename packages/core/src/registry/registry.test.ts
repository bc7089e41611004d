import { describe, expect, it } from "vitest";
import { testMachine, textOf, wait } from "../../test/support/machine.ts";
import { Get, Put } from "../../test/support/tools.ts";
import { createExecutor } from "../executor/index.ts";
import { createRegistry, type Source } from "./index.ts";

const named = (name: string, aliases: readonly string[] = []) => ({ ...Get, name, aliases });
const builtin: Source = { origin: "builtin", name: "haft" };
const server = (name: string): Source => ({ origin: "mcp", name });
const names = (registry: ReturnType<typeof createRegistry>) => registry.entries().map(({ tool }) => tool.name);

describe("registry", () => {
  it("C03 a removed tool is gone from the list and refused at once; a running call finishes", async () => {
    const Slow = { ...Get, name: "Slow", run: () => wait(40).then(() => "finished") };
    const { machine, registry } = testMachine([Slow]);
    const executor = createExecutor(machine);
    const running = executor.run([{ id: "1", tool: "Slow", input: { path: "x" } }]);
    await wait(10);
    expect([registry.remove("Slow"), registry.remove("Slow"), names(registry)]).toEqual([true, false, []]);
    const [after] = await executor.run([{ id: "2", tool: "Slow", input: { path: "x" } }]);
    expect(after?.result.error?.code).toBe("unknown_tool");
    expect(textOf((await running)[0]!)).toBe("finished");
  });

  it("C04 A13 a tool is found by name or alias; an unknown name is undefined, with the nearest as suggestion", () => {
    const registry = createRegistry();
    registry.add(builtin, [named("Read", ["read_file"]), named("Write")]);
    expect(registry.get("read_file")?.tool.name).toBe("Read");
    expect(registry.get("Raed")).toBeUndefined();
    expect([registry.suggest("Raed"), registry.suggest("readfile"), registry.suggest("zzz")]).toEqual([
      "Read",
      "read_file",
      undefined,
    ]);
  });

  it("A13 a call under an old name runs, and everyone else sees the canonical name", async () => {
    const { machine, events } = testMachine([{ ...Put, aliases: ["write_file"] }]);
    const [outcome] = await createExecutor(machine).run([
      { id: "1", tool: "write_file", input: { path: "a", text: "b" } },
    ]);
    expect([outcome?.status, outcome?.call.tool]).toEqual(["ok", "Put"]);
    expect(events.every(({ call }) => call.tool === "Put")).toBe(true);
  });

  it("C11 the order is built-in, discovered, then MCP by server, otherwise as registered, and does not change", () => {
    const registry = createRegistry();
    registry.add(server("zeta"), [named("mcp__zeta__b"), named("mcp__zeta__a")]);
    registry.add({ origin: "discovered", name: "cmd" }, [named("found")]);
    registry.add(server("alpha"), [named("mcp__alpha__x")]);
    registry.add(builtin, [named("Write"), named("Read")]);
    const order = ["Write", "Read", "found", "mcp__alpha__x", "mcp__zeta__b", "mcp__zeta__a"];
    expect(names(registry)).toEqual(order);
    expect(names(registry)).toEqual(order);
  });

  it("C12 a taken name or alias is refused with a diagnostic that names both owners; the others get in", () => {
    const registry = createRegistry();
    registry.add(builtin, [named("Read", ["read_file"])]);
    const { added, refused } = registry.add(server("evil"), [named("Read"), named("read_file"), named("fine")]);
    expect(added).toEqual(["fine"]);
    expect(refused.map(({ tool }) => tool)).toEqual(["Read", "read_file"]);
    expect(refused[0]?.message).toMatch(/MCP server "evil".*"Read".*builtin "haft"/);
    expect(registry.get("Read")?.source).toBe(builtin);
  });

  it("C12 the name of a built-in tool that is not loaded is taken for others, not for the tool itself", () => {
    const reserved = new Map([
      ["Read", "Read"],
      ["read_file", "Read"],
    ]);
    const registry = createRegistry({ reserved });
    const { refused } = registry.add(server("s"), [named("read_file"), named("other", ["Read"]), named("mine")]);
    expect(refused.map(({ tool, message }) => [tool, /belongs to /.test(message)])).toEqual([
      ["read_file", true],
      ["other", true],
    ]);
    expect([...registry.names()]).toEqual(["mine", "Read"]);
    expect(registry.add(builtin, [named("Read", ["read_file"])]).added).toEqual(["Read"]);
    expect([...registry.names()]).toEqual(["mine", "Read"]);
  });

  it("C12 the host may override; when the override goes, the hidden tool is there again", () => {
    const registry = createRegistry();
    registry.add(builtin, [named("Read")]);
    const mine = registry.add({ origin: "custom", name: "host" }, [named("Read")], { override: true });
    expect(registry.get("Read")?.source.origin).toBe("custom");
    mine.remove();
    expect(registry.get("Read")?.source.origin).toBe("builtin");
  });

  it("C12 a tool that cannot be read is refused, and the others are added", () => {
    const registry = createRegistry();
    const bad = { name: "bad name!", description: "", input: { type: "object" }, run: () => "" };
    const { added, refused } = registry.add(builtin, [bad, named("Good")]);
    expect([added, refused.map(({ tool }) => tool)]).toEqual([["Good"], ["bad name!"]]);
    expect(refused[0]?.message).toContain("cannot be a tool name");
  });

  it("C16 registries share nothing", () => {
    const [one, other] = [createRegistry(), createRegistry()];
    one.add(builtin, [named("Read")]);
    expect([names(one), names(other)]).toEqual([["Read"], []]);
  });

  it("A01 A02 a plain object is a tool, from any origin, and takes the same pipeline", async () => {
    const plain = {
      name: "Plain",
      description: "A plain object.",
      input: { type: "object", properties: { n: { type: "number", default: 2 } } },
      effects: () => [],
      run: ({ n }: { n: number }) => n * 2,
    };
    for (const origin of ["builtin", "custom", "mcp", "plugin", "discovered", "client"] as const) {
      const { machine, registry, events } = testMachine([]);
      registry.add({ origin, name: "x" }, [plain as never]);
      const [outcome] = await createExecutor(machine).run([{ id: "1", tool: "Plain", input: {} }]);
      expect([outcome?.status, outcome?.result.output]).toEqual(["ok", 4]);
      expect(events.map(({ type }) => type)).toContain("tool:call:decided");
    }
  });
});
