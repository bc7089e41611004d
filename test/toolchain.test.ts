import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { importsOf } from "./support/sources.ts";

test("tests run on the Node the repository brings, not on the system's", () => {
  expect(process.version).toMatch(/^v24\./);
});

test("a child process that asks for `node` gets the same one", () => {
  expect(execFileSync("node", ["--version"], { encoding: "utf8" }).trim()).toBe(process.version);
});

test("a change of a script makes a new build; an installation in a folder of scripts makes none", () => {
  const root = mkdtempSync(join(tmpdir(), "haft-fresh-"));
  const put = (path: string, changedAt: number, text = "") => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
    utimesSync(join(root, path), changedAt, changedAt);
  };
  put("scripts/fresh-build.mjs", 1, readFileSync(new URL("../scripts/fresh-build.mjs", import.meta.url), "utf8"));
  for (const built of [
    "core/dist/index.mjs",
    "haft/dist/index.mjs",
    "haft/dist/cli.cjs",
    "haft/dist/console/index.html",
  ])
    put(`packages/${built}`, 2);
  put("npm.cjs", 1, 'console.log("built")');
  const env = { ...process.env, npm_execpath: join(root, "npm.cjs") };
  const start = () =>
    execFileSync("node", ["scripts/fresh-build.mjs"], { cwd: root, env, encoding: "utf8", stdio: "pipe" });
  put("scripts/lint/node_modules/some/index.js", 3);
  utimesSync(join(root, "scripts/lint"), 3, 3);
  expect(start()).toBe("");
  put("scripts/other.ts", 3);
  expect(start()).toBe("built\n");
  rmSync(root, { recursive: true });
});

const dist = new URL("../packages/haft/dist/", import.meta.url);
const built = (name: string) => readFileSync(new URL(name, dist), "utf8");

test.each([".cjs", ".mjs"])("the MCP client moves into the build as one %s file, without Ajv", (ending) => {
  const parts = readdirSync(dist).filter((file) => file.startsWith("sdk-") && file.endsWith(ending));
  expect(parts).toHaveLength(1);
  expect(built(parts[0]!)).not.toContain("strictTypes");
});

test("a package that moves into the build brings its licence", () => {
  const licences = built("third-party-licenses.txt");
  for (const moved of ["@modelcontextprotocol/client", "zod", "jose"]) expect(licences).toContain(`${moved} `);
});

test("no private package is left outside the build", () => {
  const isPrivate = (name: string) => name.startsWith("@haft/") && !/^@haft\/(?:core|workers)(?:\/|$)/.test(name);
  const files = readdirSync(dist, { recursive: true }).map(String);
  const modules = files.filter((file) => /\.d\.mts$|\.mjs$/.test(file));
  expect(modules.length).toBeGreaterThan(10);
  expect(modules.flatMap((file) => importsOf(built(file)).filter(isPrivate))).toEqual([]);
});

test("every import of the library names a package that comes along, or that its user may install", () => {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(new URL("../package.json", dist), "utf8"),
  );
  const known = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
  known.add("react-devtools-core"); // Ink looks for it while it is being developed.
  const packageOf = (name: string) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0];
  const isOutside = (name: string) => !/^(?:\.|node:)/.test(name) && !known.has(packageOf(name));
  const modules = readdirSync(dist).filter((file) => file.endsWith(".mjs"));
  expect(modules.flatMap((file) => importsOf(built(file)).filter(isOutside))).toEqual([]);
});
