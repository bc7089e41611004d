import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { importsOf } from "./support/sources.ts";

test("tests run on the Node the repository brings, not on the system's", () => {
  expect(process.version).toMatch(/^v24\./);
});

test("a child process that asks for `node` gets the same one", () => {
  expect(execFileSync("node", ["--version"], { encoding: "utf8" }).trim()).toBe(process.version);
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
