import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { afterEach, expect, it } from "vitest";
import { createHaft } from "../../packages/haft/src/app/create-haft.ts";
import type { HaftOptions } from "../../packages/haft/src/app/haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function fresh(options: HaftOptions = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-private-")));
  folders.push(base);
  const cwd = join(base, "work");
  for (const folder of ["work/src", "home"]) mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(cwd, ".env"), "TOKEN=secret\n");
  writeFileSync(join(cwd, "src/.env.local"), "TOKEN=other secret\n");
  writeFileSync(join(cwd, "src/a.ts"), "const secret = 1;\n");
  symlinkSync("../.env", join(cwd, "src/plain.txt"));
  const haft = await createHaft({ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, ...options });
  const said = async (tool: string, input: object) => {
    const { error, content } = await haft.call(tool, input);
    return error ? error.code : contentsText(content);
  };
  return { haft, said };
}

it("F10 a search leaves private files out, and neither its matches nor its counts tell of them", async () => {
  const { said } = await fresh();
  for (const output_mode of ["content", "files_with_matches", "count"])
    expect(await said("Grep", { pattern: "secret", output_mode })).not.toMatch(/env|plain/);
  for (const pattern of ["TOKEN=s", "TOKEN=x"])
    expect(await said("Grep", { pattern })).toMatch(new RegExp(`^No match for ${pattern}`));
});

it("F10 their names may be seen, and a read of many files says which it left out", async () => {
  const { said } = await fresh();
  expect(await said("Glob", { pattern: "**/.env*" })).toContain("src/.env.local");
  expect(await said("Ls", { path: "." })).toContain(".env");
  const many = await said("ReadManyFiles", { paths: ["src/a.ts", "src/.env*", "src/plain.txt"] });
  expect(many).toContain("const secret");
  expect(many).not.toContain("TOKEN");
  expect(many).toMatch(/\.env\.local.*private/);
});

it("F10 read by name they need a person, by a link too; a rule that allows reading them opens tree and file", async () => {
  const { said } = await fresh();
  for (const path of [".env", "src/.env.local", "src/plain.txt"])
    expect(await said("Read", { file_path: path }), path).toBe("needs_approval");
  const { said: open } = await fresh({ rules: { allow: ["Read(.env)"] } });
  expect(await open("Read", { file_path: ".env" })).toContain("TOKEN");
  expect(await open("Grep", { pattern: "TOKEN" })).toBe(".env");
});

it("F10 a file that a person allowed by name is read even beside a tree", async () => {
  const { haft, said } = await fresh({ ask: "host" });
  const reading = said("ReadManyFiles", { paths: [".env"] });
  await expect.poll(() => haft.pending().length).toBe(1);
  haft.answer(haft.pending()[0]!.id, { behavior: "allow" });
  expect(await reading).toContain("TOKEN");
});
