// The packages as users get them: packed, installed in a fresh project, imported in every way.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
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

/** A Node that test/peers brings; absent on a machine that it does not fit. */
const nodeAt = (version: number) => `test/peers/node_modules/node-${version}/bin/node`;

describe("in a fresh project", () => {
  const story = `createHaft({ stateDir: false, settings: false })
    .then(async (haft) => { console.log((await haft.call("Glob", { pattern: "*.json" })).content[0].text); await haft[Symbol.asyncDispose](); })
    .catch(({ code, message }) => console.log(code, message));`;
  const ways = {
    "esm.mjs": 'import { createHaft } from "haft";',
    "common.cjs": 'const { createHaft } = require("haft");',
  };

  beforeAll(() => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "fresh", private: true }));
    const args = ["install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    execFileSync("npm", [...args, tarballs.get("core")!, tarballs.get("haft")!], { cwd: folder, stdio: "pipe" });
    for (const [file, way] of Object.entries(ways)) writeFileSync(join(folder, file), `${way}\n${story}`);
  }, 300_000);

  const ran = (node: string) =>
    Object.keys(ways).map((file) => {
      const { stdout, stderr } = spawnSync(resolve(node), [file], { cwd: folder, encoding: "utf8" });
      return [file, stdout, stderr.replace(/^.*ExperimentalWarning: CommonJS module[\s\S]*$/m, "")];
    });

  it("has types that check without skipLibCheck and without the optional packages", { timeout: 120_000 }, () => {
    const doors = ["haft", "haft/otel", "haft/remote", "@haft/core", "@haft/core/host", "@haft/core/contract"];
    writeFileSync(join(folder, "types.mts"), doors.map((door) => `export type {} from "${door}";`).join("\n"));
    const types = ["--types", "node", "--typeRoots", resolve("node_modules/@types")];
    const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024", "--skipLibCheck", "false"];
    const tsc = [resolve("node_modules/typescript/bin/tsc"), ...options, ...types, "types.mts"];
    const { stdout } = spawnSync(process.execPath, tsc, { cwd: folder, encoding: "utf8" });
    expect(stdout).toBe("");
  });

  it("runs from ESM and CommonJS", () => {
    for (const way of ran(process.execPath)) expect(way).toEqual([way[0], expect.stringContaining("package.json"), ""]);
  });

  it.skipIf(!existsSync(nodeAt(22)))("runs from ESM and CommonJS on the oldest Node that it promises", () => {
    const { engines } = JSON.parse(readFileSync("packages/haft/package.json", "utf8"));
    const version = execFileSync(nodeAt(22), ["--version"], { encoding: "utf8" });
    expect(`>=${version.trim().slice(1)}`).toBe(`${engines.node}.0`);
    for (const way of ran(nodeAt(22))) expect(way).toEqual([way[0], expect.stringContaining("package.json"), ""]);
  });

  it.skipIf(!existsSync(nodeAt(20)))("says on an older Node which one it needs", () => {
    for (const way of ran(nodeAt(20)))
      expect(way).toEqual([
        way[0],
        expect.stringMatching(/^tool_unavailable haft needs Node 22\.13 or newer; this is/),
        "",
      ]);
  });
});

it("takes at most 40 MB without the optional packages", () => {
  const files = globSync("node_modules/**/*", { cwd: folder }).map((path) => lstatSync(join(folder, path)));
  expect(files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 1024 / 1024).toBeLessThan(40);
});
