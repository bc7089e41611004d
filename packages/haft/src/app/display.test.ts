import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText, defineTool, lookOf, type Tool, traitsOf } from "@haft/core/tool";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-display-")));
  writeFileSync(join(cwd, "a.txt"), "one\ntwo\nthree\n");
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const haftIn = (tools: readonly Tool[] = []) =>
  createHaft({ cwd, settings: false, stateDir: false, mode: "bypassPermissions", tools });

it("H06 an edit is shown as a diff with its file, both texts and what was added and removed", async () => {
  const haft = await haftIn();
  await haft.call("Read", { file_path: "a.txt" });
  const { display } = await haft.call("Edit", { file_path: "a.txt", old_string: "two\n", new_string: "2\n2b\n" });
  expect(display).toMatchObject({ kind: "diff", added: 2, removed: 1, before: "one\ntwo\nthree\n" });
  expect(display?.kind === "diff" && display.unified).toMatch(/-two\n\+2\n\+2b/);
});

it("H07 a program's output is shown as a terminal, with its colours, command and exit code", async () => {
  const haft = await haftIn();
  const { display, error } = await haft.call("Bash", { command: "printf '\\033[31mred\\033[0m\\n'; exit 3" });
  expect(display).toMatchObject({ kind: "terminal", text: "\u001b[31mred\u001b[0m\n", exitCode: 3 });
  expect(error?.code).toBe("command_failed");
});

it("H08 todos are shown as a list with their states", async () => {
  const haft = await haftIn();
  const todos = [
    { content: "Look", status: "completed", activeForm: "Looking" },
    { content: "Write", status: "in_progress", activeForm: "Writing" },
  ];
  expect((await haft.call("TodoWrite", { todos })).display).toMatchObject({ kind: "todos", todos });
});

it("A27 H08 the kind of the display decides whether a text is markdown or literal", async () => {
  const say = (name: string, kind: "markdown" | "text") =>
    defineTool({
      name,
      description: "Says.",
      input: { type: "object" } as const,
      can: [],
      effects: () => [],
      run: () => "**x**",
      toDisplay: (text) => ({ kind, text }),
    });
  const haft = await haftIn([say("Md", "markdown") as Tool, say("Plain", "text") as Tool]);
  expect((await haft.call("Md", {})).display).toEqual({ kind: "markdown", text: "**x**" });
  expect((await haft.call("Plain", {})).display).toEqual({ kind: "text", text: "**x**" });
});

it("H01 one result carries content, output, display, title, metadata and error, from any return value", async () => {
  const haft = await haftIn();
  const glob = await haft.call("Glob", { pattern: "*.txt" });
  expect(glob).toMatchObject({
    content: [{ type: "text", text: expect.stringContaining("a.txt") }],
    output: expect.anything(),
    display: { kind: "files" },
    title: "Found 1 file",
    metadata: { pattern: "*.txt" },
  });
  const missing = await haft.call("Read", { file_path: "b.txt" });
  expect(missing).toMatchObject({ error: { code: "file_not_found", hint: expect.any(String) } });
  expect(contentsText(missing.content)).toContain("b.txt");
});

it("J02 the code tells a refusal of the system from one by a rule", async () => {
  const haft = await createHaft({ cwd, settings: false, stateDir: false, rules: { deny: ["read(a.txt)"] } });
  expect((await haft.call("Read", { file_path: "a.txt" })).error?.code).toBe("denied_by_rule");
  const bypass = await haftIn();
  chmodSync(cwd, 0o755);
  chmodSync(join(cwd, "a.txt"), 0o000);
  // Root may read everything, so it becomes somebody else for a moment.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    const { error } = await bypass.call("Read", { file_path: "a.txt" });
    expect(error).toMatchObject({ code: "permission_denied", message: expect.stringContaining("a.txt") });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

it("A33 whether a call only searches or reads follows from its effects", async () => {
  const haft = await haftIn();
  const look = async (tool: string, input: object) => lookOf((await haft.explain(tool, input)).traits);
  expect(await look("Grep", { pattern: "x" })).toEqual({ isSearch: true, isRead: false });
  expect(await look("Read", { file_path: "a.txt" })).toEqual({ isSearch: false, isRead: true });
  expect(await look("Write", { file_path: "b", content: "" })).toEqual({ isSearch: false, isRead: false });
  expect(lookOf(traitsOf([]))).toEqual({ isSearch: false, isRead: false });
});
