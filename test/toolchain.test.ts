import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("tests run on the Node the repository brings, not on the system's", () => {
  expect(process.version).toMatch(/^v24\./);
});

test("a child process that asks for `node` gets the same one", () => {
  expect(execFileSync("node", ["--version"], { encoding: "utf8" }).trim()).toBe(process.version);
});

test.each(["tools", "haft"])(
  "what moves into the build of %s brings its licence, and the MCP client no Ajv",
  (name) => {
    const dist = new URL(`../packages/${name}/dist/`, import.meta.url);
    const parts = readdirSync(dist).filter((file) => /^sdk-/.test(file));
    expect(parts).toHaveLength(1);
    expect(readFileSync(new URL(parts[0]!, dist), "utf8")).not.toContain("strictTypes");
    const licences = readFileSync(new URL("third-party-licenses.txt", dist), "utf8");
    for (const moved of ["@modelcontextprotocol/client", "zod", "jose"]) expect(licences).toContain(`${moved} `);
  },
);
