// The shape of the house: what stands on what, and how large a room may grow.
import { existsSync, readFileSync } from "node:fs";
import { builtinToolNames } from "@haft/core/policy";
import { describe, expect, test } from "vitest";
import * as rules from "./support/house-rules.ts";
import { publicNames } from "./support/public-names.ts";
import { doorsOf, importsOf, isTest, packageFolders, readSources, type Sources } from "./support/sources.ts";

// Lowest first. A file may use its own folder and what is listed before it: folders, then whole packages. Packages without
// a list are small enough to go without floors.
const HOUSE: rules.House = {
  core: [
    "schema",
    "tool",
    "policy",
    "approval",
    "hook",
    "budget",
    "registry",
    "dialect",
    "executor",
    "flow",
    "adapter",
    "compat",
    "host",
    "edge",
    "contract",
  ],
  host: [],
  sandbox: [],
  shell: [],
  journal: [],
  service: [],
  remote: [],
  tools: ["builtin"],
  mcp: [],
  plugins: [],
  "policy-tools": [],
  workers: ["job", "redis", "store", "host", "worker"],
  haft: ["agent", "app", "session", "view", "draw", "server", "embed", "worker", "terminal", "acp", "print", "cli"],
};
const LIMITS = {
  sourceLines: 400,
  testLines: 300,
  folderFiles: 15,
  coreDependencies: 3,
  agentsLines: 100,
  doorNames: 60,
};

const pick = (sources: Sources, wanted: (path: string) => boolean): Sources =>
  new Map([...sources].filter(([path]) => wanted(path)));

const all = readSources(...Object.keys(HOUSE).map((name) => `packages/${name}/src`), "test");
const tests = pick(all, isTest);
const sources = pick(all, (path) => path.startsWith("packages/") && !isTest(path));
// The index that is generated from the built-in tools grows with every tool, and nobody edits it.
const GENERATED = ["packages/tools/src/builtin/index.ts", "packages/core/src/policy/toolset/builtin-tools.ts"];
const written = pick(sources, (path) => !GENERATED.includes(path));
const core = pick(sources, (path) => path.startsWith("packages/core/"));
const deciding = pick(core, (path) => /\/src\/(?:executor|policy\/(?:engine|rule|suggest|guard))\//.test(path));
// Tools reach the world through ports only. These two need no port: hashing, and a thread to run in.
const portUsers = pick(sources, (path) => /^packages\/(?:tools|shell)\/src\//.test(path));
const WITHOUT_PORT = ["node:crypto", "node:worker_threads"];

describe("the house", () => {
  test.each(Object.keys(HOUSE))("has sources in %s, so the rules below have something to hold", (name) => {
    expect([...sources.keys()]).toContain(`packages/${name}/src/index.ts`);
  });

  test("has no circles of imports", () => {
    expect(rules.findCycles(sources)).toEqual([]);
  });

  test("has no two folders that import each other", () => {
    expect(rules.findMutual(sources)).toEqual([]);
  });

  test("names every package", () => {
    expect(Object.keys(HOUSE).toSorted()).toEqual(packageFolders.toSorted());
  });

  test("imports downward only", () => {
    expect(rules.findClimbs(sources, HOUSE)).toEqual([]);
  });

  test("gives at most 60 names through each door of a private package", () => {
    const doors = Object.keys(HOUSE)
      .filter((name) => JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8")).private)
      .flatMap(doorsOf)
      .map(([entry, file]) => ({ entry, names: publicNames(sources, file).size }));
    expect(doors.length).toBeGreaterThan(8);
    expect(doors.filter(({ names }) => names === 0 || names > LIMITS.doorNames)).toEqual([]);
  });

  test("keeps files short", () => {
    expect(rules.findLong(written, LIMITS.sourceLines)).toEqual([]);
    expect(rules.findLong(tests, LIMITS.testLines)).toEqual([]);
  });

  test("tries every slow file in `npm test`, unless it needs test/peers", () => {
    const isSlow = (path: string) => path.endsWith(".slow.test.ts") && !path.includes(".peers.");
    const slow = pick(tests, isSlow);
    expect(slow.size).toBeGreaterThan(10);
    expect([...slow].filter(([, text]) => !/tags: .*"smoke"/.test(text)).map(([path]) => path)).toEqual([]);
  });

  test("keeps folders small", () => {
    expect(rules.findCrowded(written, LIMITS.folderFiles)).toEqual([]);
  });

  test("keeps Node out of core", () => {
    expect(rules.findNodeImports(core)).toEqual([]);
  });

  test("keeps the world out of built-in tools and the shell's grammar", () => {
    const reached = rules
      .findNodeImports(portUsers)
      .filter((line) => !WITHOUT_PORT.some((name) => line.endsWith(name)));
    expect(reached).toEqual([]);
  });

  test("decides by no tool's name", () => {
    // The words of the documented rule language, and the two families that rules on Read and Edit stand for.
    const language = ["packages/core/src/policy/rule/vocabulary.ts", "packages/core/src/policy/suggest/suggestions.ts"];
    const judged = pick(deciding, (path) => !language.includes(path));
    expect(rules.findQuoted(judged, builtinToolNames.all)).toEqual([]);
  });

  test("keeps core's dependencies few", () => {
    const manifest = JSON.parse(readFileSync("packages/core/package.json", "utf8"));
    expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(LIMITS.coreDependencies);
  });

  test("imports only packages that a manifest declares", () => {
    const everywhere = new Map([...all, ...readSources("bench", "packages/*/test")]);
    expect(rules.findUndeclared(everywhere, declaredFor)).toEqual([]);
  });

  test("exports by name only", () => {
    expect(rules.findDefaultExports(sources)).toEqual([]);
  });

  test.runIf(existsSync("AGENTS.md"))("keeps AGENTS.md short enough to be read", () => {
    expect(rules.findLong(new Map([["AGENTS.md", readFileSync("AGENTS.md", "utf8")]]), LIMITS.agentsLines)).toEqual([]);
  });
});

/** Sources may use what their own manifest names; tests also what the root's does, which is there for development. */
function declaredFor(file: string): ReadonlySet<string> {
  const isSource = /^packages\/[^/]+\/src\//.test(file) && !isTest(file);
  const own = /^packages\/[^/]+\//.exec(file)?.[0];
  return new Set([
    ...(own === undefined ? [] : namedIn(`${own}package.json`)),
    ...(isSource ? [] : [...namedIn("package.json"), ...Object.keys(HOUSE).map(packageName)]),
    ...(file.includes(".peers.") ? namedIn("test/peers/package.json") : []),
  ]);
}

const packageName = (folder: string): string => (folder === "haft" ? "haft" : `@haft/${folder}`);

function namedIn(manifest: string): readonly string[] {
  const { name, dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
  return [name, ...Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })];
}

// Each rule tried on a house that breaks it: a rule that never objects would pass above for ever.
describe("the rules object to", () => {
  const sample = (files: Record<string, string>): Sources => new Map(Object.entries(files));
  const at = (path: string) => `packages/core/src/${path}`;

  test("a circle made of type imports", () => {
    const [a, b] = [at("tool/a.ts"), at("tool/b.ts")];
    const files = sample({ [a]: 'import type { B } from "./b.ts";', [b]: 'export {\n  type A,\n} from "./a.ts";' });
    expect(rules.findCycles(files)).toEqual([`${a} → ${b} → ${a}`]);
  });

  test.each([
    ["a higher folder", "schema/a.ts", "../tool/name.ts"],
    ["a higher package", "schema/a.ts", "@haft/tools"],
    ["a package past its doors", "schema/a.ts", "@haft/host/clock"],
    ["a package past its doors, by path", "schema/a.ts", "../../../host/src/clock.ts"],
    ["the package's own front door", "schema/a.ts", "@haft/core"],
    ["a higher folder by its public name", "schema/a.ts", "@haft/core/tool"],
  ])("an import from %s", (_, file, target) => {
    expect(rules.findClimbs(sample({ [at(file)]: `import { x } from "${target}";` }), HOUSE)).toHaveLength(1);
  });

  test("two folders that import each other, but not a folder and its own part", () => {
    const [a, b, inner] = [at("x/a.ts"), at("y/b.ts"), at("x/part/c.ts")];
    const files = sample({
      [a]: 'import "../y/b.ts";\nimport "./part/c.ts";',
      [b]: 'import "../x/d.ts";',
      [inner]: 'import "../a.ts";',
    });
    expect(rules.findMutual(files)).toEqual(["packages/core/src/x ⇄ packages/core/src/y"]);
  });

  test("a folder without a floor", () => {
    expect(rules.findClimbs(sample({ [at("misc/a.ts")]: "" }), HOUSE)).toEqual([
      `${at("misc/a.ts")} stands on no floor`,
    ]);
  });

  test("one line and one file too many", () => {
    expect(rules.findLong(sample({ "a.ts": "1\n2\n", "b.ts": "1\n2\n3\n" }), 2)).toEqual(["b.ts: 3 lines"]);
    expect(rules.findCrowded(sample({ "x/a.ts": "", "x/b.ts": "", "y/a.ts": "" }), 1)).toEqual(["x: 2 files"]);
  });

  test.each(["node:fs", "fs", "fs/promises"])("core importing %s", (name) => {
    expect(rules.findNodeImports(sample({ "a.ts": `import "${name}";` }))).toEqual([`a.ts imports ${name}`]);
  });

  test("a package that no manifest declares, under any of its entries", () => {
    const files = sample({ "a.ts": 'import "zod/v4"; \nimport "@x/y/z";\nimport "./b.ts";\nimport "node:fs";' });
    expect(rules.findUndeclared(files, () => new Set(["zod"]))).toEqual(["a.ts imports @x/y"]);
  });

  test("a tool's name in a decision", () => {
    const sources = sample({ "a.ts": 'if (tool.name === "Bash") return;\n// "Bash"', "b.ts": 'fail("Basher")' });
    expect(rules.findQuoted(sources, ["Bash"])).toEqual(['a.ts:1 names "Bash"']);
  });

  test.each(["export default 1;", "const x = 1;\nexport { x as default };"])("%j", (text) => {
    expect(rules.findDefaultExports(sample({ "a.ts": text }))).toEqual(["a.ts"]);
  });

  test("imports in every spelling, and in no comment", () => {
    const text = [
      'import a from "1";',
      "import {",
      "  b,",
      "} from '2';",
      'import "3";',
      'export * from "4";',
      'const c = await import("5");',
      '// import d from "6";',
      '/* import e from "7"; */',
    ].join("\n");
    expect(importsOf(text)).toEqual(["1", "2", "3", "4", "5"]);
  });
});
