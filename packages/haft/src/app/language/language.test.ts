// The tool LSP against a scripted language server.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { expect, it } from "vitest";
import { LANGUAGE_SERVER, languagePlace, WORDS } from "../../../test/support/language-place.ts";
import { mcpWorkspace } from "../../../test/support/mcp-workspace.ts";

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it("starts the server with the first question, asks it about code, and ends it with the session", async () => {
  const at = await languagePlace();
  expect(at.starts()).toEqual([]);
  const [definition, hover, symbols] = await Promise.all([
    at.lsp("goToDefinition", { line: 2, character: 6 }),
    at.lsp("hover", { line: 2, character: 6 }),
    at.lsp("documentSymbol"),
  ]);
  expect(definition).toBe("a.words:1:5  def one");
  expect(hover).toBe("about one");
  expect(symbols).toBe("a.words:1:5  function one  def one\na.words:3:5  function two  def two");
  expect(await at.lsp("goToDefinition", { line: 2, character: 1 })).toMatch(/Nothing found/);
  expect(await at.lsp("goToDefinition")).toMatch(/validation_failed: goToDefinition needs line and character/);
  expect(await at.lsp("hover", { line: 9, character: 1 })).toMatch(/has 4 lines, so there is no line 9/);
  expect(await at.lsp("findReferences", { line: 2, character: 6 })).toMatch(/tool_unavailable: .*words cannot do this/);
  expect(await at.lsp("hover", { filePath: "x.other", line: 1, character: 1 })).toMatch(/No language server knows/);
  expect(at.starts()).toHaveLength(1);
  const pid = Number(at.starts()[0]!.split(" ")[1]);
  expect(isAlive(pid)).toBe(true);
  await at[Symbol.asyncDispose]();
  expect(isAlive(pid)).toBe(false);
});

it("reports errors after an edit of a file whose server runs, and not before it runs or when switched off", async () => {
  await using at = await languagePlace({}, { mode: "acceptEdits" });
  await at.call("Read", { file_path: "a.words" });
  const edit = (from: string, to: string) =>
    at.call("Edit", { file_path: "a.words", old_string: from, new_string: to });
  expect(await edit("use one", "use BAD")).not.toContain("finds");
  expect(at.starts()).toEqual([]);
  expect(await at.lsp("diagnostics")).toBe("a.words:2:1 error: bad line\nuse BAD");
  expect(await edit("def two", "BAD two")).toMatch(
    /words finds 2 errors in a\.words:\n {2}2:1 bad line use BAD\n {2}3:1 bad line BAD two$/,
  );
  expect(await at.call("Write", { file_path: "c.words", content: "BAD\n" })).toMatch(/an error in c\.words/);
  expect(await at.call("Write", { file_path: "a.words", content: "def one\n" })).not.toContain("finds");

  await using off = await languagePlace({ diagnostics: false }, { mode: "acceptEdits" });
  expect(await off.lsp("diagnostics")).toMatch(/no problems/);
  expect(await off.call("Write", { file_path: "c.words", content: "BAD\n" })).not.toContain("finds");
});

it("says why a server cannot be started", async () => {
  await using at = await languagePlace({ command: "/nowhere/words-server" });
  expect(await at.lsp("documentSymbol")).toMatch(
    /tool_unavailable: The language server words: .*cannot be started: it was not found/,
  );
});

it("hides the tool with a reason where no server is found", async () => {
  using workspace = mcpWorkspace();
  await using haft = await workspace.open({ env: { PATH: "/nowhere" } });
  const { error } = await haft.call("LSP", { operation: "documentSymbol", filePath: "a.ts" });
  expect(error).toMatchObject({
    code: "tool_unavailable",
    message: expect.stringMatching(/no language server was found/),
  });
});

it("asks before it starts a program of a project that is not trusted, and does not ask in a trusted one", async () => {
  using workspace = mcpWorkspace({ "work/a.ts": WORDS });
  const bin = join(workspace.cwd, "node_modules", ".bin");
  const program = join(bin, "typescript-language-server");
  mkdirSync(bin, { recursive: true });
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${LANGUAGE_SERVER}"\n`);
  chmodSync(program, 0o755);
  const symbols = { operation: "documentSymbol", filePath: "a.ts" };
  const asked: string[] = [];
  await using haft = await workspace.open({
    trusted: false,
    async ask({ effects }) {
      asked.push(...effects.flatMap((effect) => (effect.do === "run" ? [effect.text] : [])));
      return { behavior: asked.length > 1 ? "allow" : "deny" };
    },
  });
  expect((await haft.call("LSP", symbols)).error?.code).toBe("denied_by_user");
  expect(contentsText((await haft.call("LSP", symbols)).content)).toContain("function one");
  expect((await haft.call("LSP", symbols)).error).toBeUndefined();
  expect(asked).toEqual([`${program} --stdio`, `${program} --stdio`]);
  await using trusted = await workspace.open({ trusted: true });
  expect(contentsText((await trusted.call("LSP", symbols)).content)).toContain("function one");
});

it("leaves places in files out that a rule closes", async () => {
  await using at = await languagePlace({}, { rules: { deny: ["Read(b.words)"] } });
  expect(await at.lsp("documentSymbol", { filePath: "b.words" })).toMatch(/^denied_by_rule/);
  expect(await at.lsp("documentSymbol")).toContain("def two");
});
