// The packages as users get them: packed, installed in a fresh project, imported in every way.
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "haft-tarballs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = ["core", "haft", "workers"];
const tarballs = new Map<string, string>();

beforeAll(() => {
  for (const name of NAMES) {
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, "-w", `packages/${name}`];
    const said: unknown = JSON.parse(execFileSync("npm", args, { encoding: "utf8", stdio: "pipe" }));
    const [packed] = (Array.isArray(said) ? said : Object.values(said as object)) as { readonly filename: string }[];
    tarballs.set(name, join(folder, packed!.filename.replace("@", "").replace("/", "-")));
  }
}, 120_000);

describe.each(NAMES)("the tarball of %s", (name) => {
  it("has no problem that publint knows", async () => {
    const { buffer, byteOffset, byteLength } = readFileSync(tarballs.get(name)!);
    const { messages } = await publint({
      pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer },
      level: "warning",
    });
    expect(messages.map(({ code, path }) => `${code} ${path.join(".")}`)).toEqual([]);
  });

  it("has types that every kind of import finds, from Node 16's resolution on", { timeout: 120_000 }, async () => {
    const found = await checkPackage(createPackageFromTarballData(readFileSync(tarballs.get(name)!)));
    if (found.types === false) throw new Error("It has no types.");
    // CommonJS gets the module itself by `require`, which Node 22 allows. Older resolutions know no `exports`.
    const problems = found.problems.filter(
      (problem) =>
        problem.kind !== "CJSResolvesToESM" && !("resolutionKind" in problem && problem.resolutionKind === "node10"),
    );
    expect(problems.map((problem) => JSON.stringify(problem))).toEqual([]);
  });
});

it("installs in a fresh project, and runs from ESM and CommonJS", { timeout: 300_000 }, () => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "fresh", private: true }));
  const args = ["install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  execFileSync("npm", [...args, tarballs.get("core")!, tarballs.get("haft")!], { cwd: folder, stdio: "pipe" });
  const story = `createHaft({ stateDir: false, settings: false })
    .then(async (haft) => { console.log((await haft.call("Glob", { pattern: "*.json" })).content[0].text); await haft[Symbol.asyncDispose](); })`;
  writeFileSync(join(folder, "esm.mjs"), `import { createHaft } from "haft";\nawait ${story};`);
  writeFileSync(join(folder, "common.cjs"), `const { createHaft } = require("haft");\n${story};`);
  for (const file of ["esm.mjs", "common.cjs"]) {
    const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
    expect([file, stdout, stderr]).toEqual([file, expect.stringContaining("package.json"), ""]);
  }
});

const TYPED = `
import { defineTool, effects, path } from "@haft/core";
import { BaseDeclarativeTool, BaseToolInvocation, fromDeclarative, Kind, type ToolResult } from "@haft/core/compat/declarative";
import { toolFunctions } from "@haft/core/compat/tool-define";
import { createEdgeHaft } from "@haft/core/edge";
import { memoryHost, memoryStores } from "@haft/core/host";
import { createHaft, type Haft } from "haft";
import { pi } from "haft/pi";
import { z } from "zod";

class Invocation extends BaseToolInvocation<{ file: string }, ToolResult> {
  getDescription = () => "Reads";
  execute = async () => ({ llmContent: "done", returnDisplay: "done" });
}
class Declared extends BaseDeclarativeTool<{ file: string }, ToolResult> {
  createInvocation = (params: { file: string }) => new Invocation(params);
}
export const own = defineTool({
  name: "Own",
  description: "Reads a file.",
  input: z.object({ file: z.string() }),
  can: ["read"],
  effects: ({ file }) => [effects.read(path.resolve("/work", file))],
  run: ({ file }, { ports }) => ports.files.text(file),
});
const declared = fromDeclarative(new Declared("declared", "Declared", "Reads.", Kind.Read, { type: "object" }));
export const haft: Haft = await createHaft({ tools: [own, declared], host: memoryHost(), ...memoryStores() });
export const edge = createEdgeHaft({ tools: [own, declared] });
export const { executeTool } = toolFunctions(() => createHaft());
export const agent = pi(haft);
`;

it("has types that a TypeScript project can use, and name in declarations of its own", { timeout: 120_000 }, () => {
  writeFileSync(join(folder, "typed.mts"), TYPED);
  const options =
    "--strict --skipLibCheck --target es2024 --module nodenext --declaration --emitDeclarationOnly --outDir typed";
  const types = ["--types", "node", "--typeRoots", join(process.cwd(), "node_modules/@types")];
  const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc");
  const args = [tsc, ...options.split(" "), ...types, "--lib", "es2024,esnext.disposable", "typed.mts"];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  expect([stdout, status]).toEqual(["", 0]);
});

it("takes at most 40 MB without the optional packages", () => {
  const files = globSync("node_modules/**/*", { cwd: folder }).map((path) => lstatSync(join(folder, path)));
  expect(files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 1024 / 1024).toBeLessThan(40);
});
