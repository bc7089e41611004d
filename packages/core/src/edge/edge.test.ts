import { contentsText, defineTool, effects } from "@haft/core/tool";
import { expect, it } from "vitest";
import { z } from "zod";
import { memoryHost } from "../host/index.ts";
import { createEdgeHaft, type EdgeOptions } from "./index.ts";

const Note = defineTool({
  name: "Note",
  description: "Adds a note.",
  input: z.object({ line: z.string() }),
  can: ["write"],
  effects: () => [effects.write("notes.md")],
  run: async ({ line }, { ports }) => {
    await ports.files.write("notes.md", `${line}\n`);
    return "noted";
  },
});

const start = (options: Partial<EdgeOptions> = {}) => {
  const host = memoryHost();
  return { haft: createEdgeHaft({ tools: [Note], host, ...options }), host };
};

it("A45 an edge Haft decides, asks, runs and undoes, without Node", async () => {
  const { haft, host } = start({ ask: "host" });
  const calling = haft.call("Note", { line: "one" }, { id: "c1" });
  await expect.poll(() => haft.pending().length).toBe(1);
  const [{ id, effects: shown } = { id: "", effects: [] }] = haft.pending();
  expect(shown).toMatchObject([{ do: "write", path: "/work/notes.md" }]);
  expect(haft.answer(id, { behavior: "allow" })).toEqual({ accepted: true });
  expect(contentsText((await calling).content)).toBe("noted");
  expect((await host.files.text("/work/notes.md")).text).toBe("one\n");
  expect((await haft.undo("c1")).changed).toHaveLength(1);
  expect(await host.files.stat("/work/notes.md")).toBeUndefined();
});

it("A45 an edge Haft denies without anybody to ask, follows rules, and speaks the formats of models", async () => {
  expect((await start().haft.call("Note", { line: "one" })).error?.code).toBe("needs_approval");
  const { haft } = start({ rules: { allow: ["Note"] } });
  const anthropic = haft.for("anthropic");
  const content = [{ type: "tool_use", id: "t1", name: "Note", input: { line: "two" } }];
  expect(await anthropic.run({ role: "assistant", content } as never)).toMatchObject({
    content: [{ type: "tool_result", tool_use_id: "t1" }],
  });
  expect(anthropic.tools.map(({ name }) => name)).toEqual(["Note"]);
  expect((await haft.explain("Note", { line: "x" })).decision?.decision).toBe("allow");
});

it("A45 an edge Haft refuses a rule and a tool that are none, and an unknown format", () => {
  expect(() => start({ rules: { allow: ["write(("] } })).toThrow();
  expect(() => start({ tools: [{ nonsense: true } as never] })).toThrow();
  expect(() => start().haft.for("cobol" as never)).toThrow(/There is no format "cobol"/);
});
