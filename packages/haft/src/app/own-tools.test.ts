import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCodingTools } from "@haft/core/compat/agent-tool";
import { contentsText, defineTool, effects } from "@haft/core/tool";
import { expect, it } from "vitest";
import { z } from "zod";
import { createHaft } from "./create-haft.ts";

const folder = () => realpathSync(mkdtempSync(join(tmpdir(), "haft-own-")));

it("A45 a tool names files as its effects do: relative paths count from the folder of the session", async () => {
  const cwd = folder();
  mkdirSync(join(cwd, "sub"));
  writeFileSync(join(cwd, "sub/notes.md"), "one\n");
  const seen: unknown[] = [];
  const Note = defineTool({
    name: "Note",
    description: "Adds a line to the notes.",
    input: z.object({ line: z.string() }),
    can: ["read", "write", "run"],
    effects: () => [
      effects.read("sub", { tree: true }),
      effects.write("sub/notes.md", "modify"),
      effects.run({ argv: ["pwd"], text: "pwd", cwd: "sub" }),
    ],
    async preview({ line }, { ports }) {
      const { text } = await ports.files.text("sub/notes.md");
      return { kind: "text", text: `${text}${line}\n` };
    },
    async run({ line }, { ports }) {
      const { text } = await ports.files.text("./sub/notes.md");
      await ports.files.write("sub/notes.md", `${text}${line}\n`);
      const listed = (await ports.files.list("sub")).map(({ path }) => path);
      const found = await ports.files.find({ root: "sub", pattern: "*.md", limit: 9 });
      const { stdout } = await ports.processes.run({ command: "pwd", cwd: "sub" });
      seen.push(listed, found.paths.length, stdout.trim());
      return "noted";
    },
  });
  const shown: unknown[] = [];
  await using haft = await createHaft({
    ...{ cwd, settings: false, stateDir: false, tools: [Note] },
    ask: async ({ show }) => {
      shown.push(show);
      return { behavior: "allow" };
    },
  });
  const result = await haft.call("Note", { line: "two" });
  expect([contentsText(result.content), readFileSync(join(cwd, "sub/notes.md"), "utf8")]).toEqual([
    "noted",
    "one\ntwo\n",
  ]);
  expect(seen).toEqual([["notes.md"], 1, join(cwd, "sub")]);
  expect(shown).toMatchObject([{ kind: "text", text: "one\ntwo\n" }]);
});

it("A45 a relative path leads to nothing that was not granted", async () => {
  const cwd = join(folder(), "work");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "../secret.txt"), "secret");
  const Climb = defineTool({
    name: "Climb",
    description: "Climbs.",
    input: z.object({}),
    can: ["read"],
    effects: () => [effects.read(".", { tree: true })],
    run: async (_input, { ports }) => (await ports.files.text("../secret.txt")).text,
  });
  await using haft = await createHaft({
    cwd,
    settings: false,
    stateDir: false,
    tools: [Climb],
    rules: { allow: ["Climb"] },
  });
  expect((await haft.call("Climb", {})).error?.code).toBe("undeclared_effect");
});

it("C06 with() refuses a tool that nobody knows, and names the nearest", async () => {
  await using haft = await createHaft({ settings: false, stateDir: false });
  expect(() => haft.with({ tools: ["Read", "wether"] })).toThrow(/there is no tool "wether"/);
  expect(() => haft.with({ tools: ["Raed"] })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('Did you mean "Read"?') }),
  );
  const narrowed = haft.with({ tools: ["read_file", "mcp__later__tool"] });
  expect((await narrowed.offer()).tools.map(({ name }) => name)).toEqual(["Read"]);
});

it("J08 the coding tools of the AgentTool shape stand on a Haft's toolbox", async () => {
  const cwd = folder();
  writeFileSync(join(cwd, "a.txt"), "one\n");
  await using haft = await createHaft({ cwd, settings: false, stateDir: false });
  const [read, write] = createCodingTools(haft.toolbox);
  const { content } = await read!.execute("1", { file_path: "a.txt" });
  expect(JSON.stringify(content)).toContain("one");
  await expect(write!.execute("2", { file_path: "a.txt", content: "two\n" })).rejects.toThrow();
});

it("A45 a preview that crashes is said to the person, and the call can still be answered", async () => {
  const Broken = defineTool({
    name: "Broken",
    description: "Has a broken preview.",
    input: z.object({}),
    can: ["write"],
    effects: () => [effects.write("a.txt")],
    preview: () => {
      throw new TypeError("diff is not a function");
    },
    run: () => "ran",
  });
  const shown: unknown[] = [];
  await using haft = await createHaft({
    ...{ cwd: folder(), settings: false, stateDir: false, tools: [Broken] },
    ask: async ({ show }) => {
      shown.push(show);
      return { behavior: "allow" };
    },
  });
  expect(contentsText((await haft.call("Broken", {})).content)).toBe("ran");
  expect(shown).toMatchObject([{ title: "The preview of Broken failed: diff is not a function" }]);
});

it("A45 a connect rule binds every own tool, and allows the calls of one that uses ports only", async () => {
  const Weather = defineTool({
    name: "Weather",
    description: "The weather, and perhaps a report to another host.",
    input: z.object({ also: z.string().optional() }),
    can: ["connect"],
    effects: ({ also }) =>
      ["api.weather.example", ...(also ? [also] : [])].map((host) => effects.connect(`https://${host}/`)),
    run: () => "rain",
  });
  const decide = async (rules: object, basis?: "enforced", input = {}) => {
    const cwd = folder();
    const own = basis ? [] : [Weather];
    const fixed = { cwd, home: cwd, env: {}, stateDir: false, settings: false } as const;
    await using haft = await createHaft({ ...fixed, rules, tools: own });
    if (basis) haft.registry.add({ origin: "custom", name: "mine", basis }, [Weather]);
    return (await haft.explain("Weather", input)).decision?.decision;
  };
  const allow = { allow: ["connect(api.weather.example)"] };
  expect(await decide(allow)).toBe("ask");
  expect(await decide(allow, "enforced")).toBe("allow");
  expect(await decide(allow, "enforced", { also: "other.example" })).toBe("ask");
  const both = [
    ["Weather", undefined],
    ["connect(*)", "enforced"],
  ] as const;
  for (const [rule, basis] of both) {
    expect(await decide({ allow: [rule] }, basis)).toBe("allow");
    expect(await decide({ allow: [rule], ask: ["connect(*.weather.example)"] }, basis)).toBe("ask");
    expect(await decide({ allow: [rule], deny: ["connect(api.weather.example)"] }, basis)).toBe("deny");
  }
});
