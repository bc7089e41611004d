import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinToolNames } from "@haft/core/policy";
import { defineTool, effects, type Tool, unknown } from "@haft/core/tool";
import { builtinTools } from "@haft/tools";
import { afterAll, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-traits-")));
mkdirSync(join(base, "home"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const open = (options: HaftOptions) =>
  createHaft({ cwd: base, home: join(base, "home"), stateDir: join(base, "state"), env: {}, ...options });

const input = { type: "object", properties: { line: { type: "string", description: "The line." } } } as const;
const note = defineTool({
  name: "Note",
  description: "Adds a line to the notes.",
  input,
  can: ["read", "write"],
  rules: { groups: ["notes"] },
  effects: () => [effects.write("notes.md", "modify")],
  run: () => "done",
}) as Tool;
const shell = (name: string) =>
  defineTool({
    name,
    description: "Runs a command somewhere.",
    input,
    can: ["unknown"],
    effects: () => [unknown("nobody can read it")],
    run: () => "done",
  }) as Tool;

describe("a tool in rules", () => {
  it("F12 an unknown effect is held against command rules, with any name of the tool", async () => {
    const rules = { allow: ["Sh", "Bash"], deny: ["run(rm *)"] };
    const haft = await open({ tools: [shell("Sh")], rules });
    expect((await haft.explain("Sh", {})).decision?.decision).toBe("ask");
    const free = await open({ tools: [shell("Sh")], rules: { allow: ["Sh"] } });
    expect((await free.explain("Sh", {})).decision?.decision).toBe("allow");
  });

  it("F12 a bare rule for Edit means every tool that writes files and runs no commands", async () => {
    const haft = await open({ tools: [note, shell("Sh")], rules: { deny: ["Edit"], allow: ["Sh"] } });
    expect((await haft.explain("Note", {})).error?.code).toBe("denied_by_rule");
    expect((await haft.explain("Sh", {})).decision?.decision).toBe("allow");
    const offered = (await haft.offer()).tools.map(({ name }) => name);
    expect(offered).toContain("Read");
    for (const name of ["Note", "Write", "Edit", "apply_patch"]) expect(offered).not.toContain(name);
  });

  it("F01 C04 a tool's own group is known to tool lists, and a group that nobody has is an error", async () => {
    const names = async (deny: string) => {
      writeFileSync(join(base, "settings.json"), JSON.stringify({ policy: { deny: [deny] } }));
      const haft = await open({ tools: [note], settings: join(base, "settings.json") });
      return (await haft.offer()).tools.map(({ name }) => name);
    };
    expect(await names("group:notes")).not.toContain("Note");
    expect(await names("group:web")).toContain("Note");
    await expect(names("group:note")).rejects.toThrow(/group:notes/);
  });

  it("F12 a rule about a tool that does not exist ends the start with the cure", async () => {
    await expect(open({ rules: { deny: ["Gallium"] } })).rejects.toThrow(/There is no tool "Gallium"/);
  });

  it("F02 every built-in tool can be denied by its name and by each alias", async () => {
    const tools = await builtinTools();
    expect(tools.length).toBeGreaterThan(15);
    for (const { name, aliases = [] } of tools)
      for (const word of [name, ...aliases]) expect(builtinToolNames.canonical(word), word).toBe(name);
  });

  it("A02 traits that cannot be meant are errors when the tool is defined", () => {
    const define = (rules: object) => () =>
      defineTool({ name: "X", description: "x", input, run: () => "", rules: rules as never });
    expect(define({ specifier: "shell" })).toThrow(/rules.specifier "shell"/);
    expect(define({ groups: ["group:fs"] })).toThrow(/group "group:fs"/);
  });
});
