import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test("tests run on the Node the repository brings, not on the system's", () => {
  expect(process.version).toMatch(/^v24\./);
});

test("a child process that asks for `node` gets the same one", () => {
  expect(execFileSync("node", ["--version"], { encoding: "utf8" }).trim()).toBe(process.version);
});
