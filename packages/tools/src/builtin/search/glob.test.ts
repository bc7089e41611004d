import { mkdir, utimes, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { glob } from "./glob.ts";

let world: World;
const put = async (name: string, age = 0) => {
  const path = `${world.folder}/${name}`;
  await mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await writeFile(path, "x");
  const time = Date.now() / 1000 - age;
  await utimes(path, time, time);
};
const files = async (pattern: string, path?: string) =>
  (await world.use(glob, { pattern, ...(path ? { path } : {}) })).output.files;

beforeAll(async () => {
  world = await createWorld();
  await put("src/old.ts", 300);
  await put("src/new.ts", 100);
  await put("src/deep/middle.ts", 200);
  await put("src/style.css", 50);
  await put("node_modules/pkg/index.ts");
  await put(".config/hidden.ts", 400);
  await writeFile(`${world.folder}/.gitignore`, "node_modules\n");
});
afterAll(() => world.close());

describe("Glob", () => {
  it("K09 finds newest first, with hidden files and without ignored ones", async () => {
    expect(await files("**/*.ts")).toEqual(["src/new.ts", "src/deep/middle.ts", "src/old.ts", ".config/hidden.ts"]);
  });

  it.each([
    ["*.css", ["src/style.css"]],
    ["src/*.ts", ["src/new.ts", "src/old.ts"]],
    ["src/**/*.{css,ts}", ["src/style.css", "src/new.ts", "src/deep/middle.ts", "src/old.ts"]],
    ["**/[mo]*.ts", ["src/deep/middle.ts", "src/old.ts"]],
    ["nothing/*", []],
  ])("K09 %s", async (pattern, expected) => {
    if (pattern === "nothing/*") expect(await failure(files(pattern))).toMatchObject({ code: "file_not_found" });
    else expect(await files(pattern)).toEqual(expected);
  });

  it("K09 a path is looked in; paths count from the working directory", async () => {
    expect(await files("*.ts", "src/deep")).toEqual(["src/deep/middle.ts"]);
    expect(await files(`${world.folder}/src/deep/*.ts`)).toEqual(["src/deep/middle.ts"]);
  });

  it("K09 sorts before it cuts: the newest of very many is never missed", async () => {
    await Promise.all(Array.from({ length: 150 }, (_, index) => put(`many/${index}.txt`, 1000 + index)));
    await put("many/zz-newest.txt", 1);
    const { output, text } = await world.use(glob, { pattern: "many/*.txt" });
    expect(output).toMatchObject({ count: 151, truncated: true });
    expect(output.files).toHaveLength(100);
    expect(output.files.slice(0, 3)).toEqual(["many/zz-newest.txt", "many/0.txt", "many/1.txt"]);
    expect(text).toContain("[The newest 100 of 151 files.");
  });

  it("K09 A26 H09 live titles, and metadata", async () => {
    const { titles, progress } = await world.use(glob, { pattern: "src/*.ts" });
    expect(titles[0]).toBe("Searching: src/*.ts");
    expect(titles.at(-1)).toBe("Found 2 files");
    const metadata = Object.assign({}, ...progress.map((update) => update.metadata));
    expect(metadata).toEqual({ pattern: "src/*.ts", searchPath: `${world.folder}/src`, count: 2, truncated: false });
  });

  it("K09 declares reading the tree that it searches", () => {
    const effects = (pattern: string, path?: string) =>
      glob.effects({ pattern, ...(path ? { path } : {}) }, world.effectContext);
    expect(effects("*.ts")).toEqual([{ do: "read", basis: "enforced", path: world.folder, tree: true }]);
    expect(effects("/etc/ssl/*.pem")).toEqual([{ do: "read", basis: "enforced", path: "/etc/ssl", tree: true }]);
    expect(effects("../x/*.ts", "src")).toEqual([expect.objectContaining({ path: `${world.folder}/x` })]);
  });

  it("K09 a name with a line break stays one entry", async () => {
    await put("odd/a\nb.odd");
    expect((await world.use(glob, { pattern: "*.odd" })).text).toBe('"odd/a\\nb.odd"');
  });

  it("K09 describes half an input", () => {
    expect(glob.describe?.({})).toEqual({ title: "Find files", activity: "Searching" });
  });

  it("E13 a cancelled search ends at once", async () => {
    const started = performance.now();
    const work = world.use(glob, { pattern: "**/*", path: "/" }, { signal: AbortSignal.timeout(50) });
    await expect(work).rejects.toMatchObject({ name: "TimeoutError" });
    expect(performance.now() - started).toBeLessThan(patience(1000));
  });
});
