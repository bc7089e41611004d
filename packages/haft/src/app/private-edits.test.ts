import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mode } from "@haft/core/policy";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const SECRET = "SECRETKEY";
const NOTEBOOK = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [{ cell_type: "raw", id: "one", metadata: {}, source: [`token ${SECRET}`] }],
});

async function fresh(options: HaftOptions) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-private-")));
  folders.push(base);
  const cwd = join(base, "work");
  for (const folder of [cwd, join(cwd, ".aws"), join(base, "home")]) mkdirSync(folder);
  writeFileSync(join(cwd, ".env"), `FIRST=1\nTOKEN=${SECRET}\nLAST=3\n`);
  writeFileSync(join(cwd, ".aws/notes.ipynb"), NOTEBOOK);
  writeFileSync(join(cwd, "plain.txt"), "FIRST=1\nTOKEN=open\nLAST=3\n");
  const asked: string[] = [];
  const haft = await createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), settings: false, loopGuard: false },
    env: { PATH: process.env.PATH ?? "" },
    ask: async (request) => {
      asked.push(request.why);
      return { behavior: "deny", message: "no" };
    },
    ...options,
  });
  return { cwd, haft, asked };
}

const patch = (...lines: string[]) => ({ input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

/** Everything by which a tool that changes files could tell what a private one holds: by a hint, a diff, a new name. */
const EDITS: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ["Edit", { file_path: ".env", old_string: "TOKEN=x", new_string: "y" }],
  ["Edit", { file_path: ".env", old_string: "TOKEN=", new_string: "T=" }],
  ["Edit", { file_path: ".env", edits: [{ old_string: "=", new_string: "==" }] }],
  ["NotebookEdit", { notebook_path: ".aws/notes.ipynb", cell_id: "one", new_source: "x" }],
  ["apply_patch", patch("*** Update File: .env", "@@", " FIRST=1", "-TOKEN=", "+X")],
  ["apply_patch", patch("*** Update File: .env", "*** Move to: open.txt", "@@", "-FIRST=1", "+X")],
  ["apply_patch", patch("*** Delete File: .env")],
];

const EDITORS = ["Edit", "NotebookEdit", "apply_patch", "Write"];
const hasBwrap = (await findBwrap([])) !== undefined;

describe("editing what is private", () => {
  const everywhere: readonly (readonly [name: string, options: HaftOptions])[] = [
    ...(["default", "acceptEdits", "plan", "dontAsk"] satisfies Mode[]).map((mode) => [mode, { mode }] as const),
    ["default with leave to edit", { mode: "default", rules: { allow: EDITORS } }],
    ["dontAsk with leave to edit", { mode: "dontAsk", rules: { allow: EDITORS } }],
    ["default with leave for a folder", { mode: "default", rules: { allow: ["Edit(/**)"] } }],
    ...(hasBwrap ? [["undoable", { mode: "undoable" }] as const] : []),
  ];

  it.each(everywhere)(
    "F10 tells nothing of a private file that nobody was asked about reading: %s",
    async (_, options) => {
      const { haft, cwd } = await fresh(options);
      for (const [tool, input] of EDITS) {
        const result = await haft.call(tool, input);
        expect(JSON.stringify(result), `${tool} ${JSON.stringify(input)}`).not.toContain(SECRET);
        expect(result.error?.code).toMatch(/^denied_by_(?:user|mode)$/);
      }
      expect(readFileSync(join(cwd, ".env"), "utf8")).toContain(`TOKEN=${SECRET}\n`);
      await haft[Symbol.asyncDispose]();
    },
  );

  it("F10 asks about the reading where the edit alone would be free, and about no other file", async () => {
    const { haft, asked } = await fresh({ mode: "acceptEdits" });
    await haft.call("Edit", { file_path: "plain.txt", old_string: "open", new_string: "changed" });
    expect(asked).toEqual([]);
    await haft.call("Edit", { file_path: ".env", old_string: "FIRST=1", new_string: "FIRST=2" });
    expect(asked).toEqual([expect.stringMatching(/reading .*\.env.* private/)]);
    await haft[Symbol.asyncDispose]();
  });

  it("F10 edits it where a rule gives leave to read it, with all that helps", async () => {
    const { haft, asked } = await fresh({ mode: "acceptEdits", rules: { allow: ["Read(.env)"] } });
    const missed = await haft.call("Edit", { file_path: ".env", old_string: "TOKEN=x", new_string: "y" });
    expect(JSON.stringify(missed)).toContain(SECRET);
    expect(
      (await haft.call("Edit", { file_path: ".env", old_string: "FIRST=1", new_string: "F" })).error,
    ).toBeUndefined();
    expect(asked).toEqual([]);
    await haft[Symbol.asyncDispose]();
  });

  it.skipIf(!hasBwrap)("F10 K02 a private file's change in a dry run is shown to people only", async () => {
    const { haft } = await fresh({ mode: "acceptEdits" });
    for (const command of ["rm .env", "echo X=1 >> .env", "mv .env open.txt"]) {
      const answer = JSON.stringify(await haft.call("Bash", { command, dry_run: true }));
      expect(answer, command).not.toContain(SECRET);
      expect(answer, command).toMatch(/private: its content is not shown|denied_by_user/);
    }
    await haft[Symbol.asyncDispose]();
  });

  it("F10 a private file is not moved to a name under which it could be read", async () => {
    const { haft, asked } = await fresh({ mode: "acceptEdits" });
    await haft.call("Bash", { command: "mv .env open.txt" });
    expect(asked).toEqual([expect.stringMatching(/reading .*\.env/)]);
    expect(JSON.stringify(await haft.call("Read", { file_path: "open.txt" }))).not.toContain(SECRET);
    await haft[Symbol.asyncDispose]();
  });
});
