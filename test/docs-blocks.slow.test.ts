import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { blocksOf, CODE, docPages, modulesOf } from "./support/doc-blocks.ts";

const FOLDER = "test/.blocks";

it("every block of code in the docs compiles, and runs where the page says what comes of it", {
  timeout: 120_000,
}, () => {
  const blocks = docPages().flatMap((page) => blocksOf(page));
  const modules = modulesOf(blocks.filter(({ language }) => CODE.includes(language)));
  expect(modules.some(({ runs }) => runs)).toBe(true);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const { name, text } of modules) writeFileSync(join(FOLDER, `${name}.ts`), text);
  const config = {
    extends: "../../tsconfig.json",
    compilerOptions: { verbatimModuleSyntax: false },
    include: ["*.ts"],
  };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = spawnSync("node_modules/.bin/tsc", ["-p", FOLDER], { encoding: "utf8" });
  expect(stdout).toBe("");
  for (const { name } of modules.filter(({ runs }) => runs)) {
    const cwd = mkdtempSync(join(tmpdir(), "haft-block-"));
    const file = join(process.cwd(), FOLDER, `${name}.ts`);
    const env = { ...process.env, HOME: cwd, XDG_STATE_HOME: join(cwd, "state"), NODE_OPTIONS: "" };
    execFileSync(process.execPath, ["--conditions=haft-source", file], { cwd, env, encoding: "utf8" });
  }
});

it("a block that goes on where the last one ended is one module with it", { tags: ["smoke"] }, () => {
  const page =
    "```ts\nconst a = 1;\n```\n\n<!-- block: goes on -->\n```ts\na;\n```\n<!-- block: then\nb;\n-->\n```ts\nc;\n```\n";
  const modules = modulesOf(blocksOf("page.md", page));
  expect(modules.map(({ name, runs }) => [name, runs])).toEqual([
    ["page_md_1", true],
    ["page_md_12", false],
  ]);
  expect(modules[0]?.text).toMatch(/const a = 1;[\s\S]*a;[\s\S]*b;/);
});
