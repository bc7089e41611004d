// The API reference, made with the real TypeDoc: every public name is on the page of its door, with its docstring.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const out = mkdtempSync(join(tmpdir(), "haft-api-"));
afterAll(() => rmSync(out, { recursive: true, force: true }));

it("has a page for every door with all its names, and no name or link without its text", { timeout: 300_000 }, () => {
  for (const args of [
    ["scripts/peers.mjs", "scripts/api-reference"],
    ["scripts/api-reference/write.mjs", out],
  ])
    execFileSync(process.execPath, args, { stdio: "pipe" });
  const index = readFileSync(join(out, "README.md"), "utf8");
  const doors = readFileSync("test/public-names.txt", "utf8").trim().split("\n\n");
  expect(doors.length).toBeGreaterThan(5);
  for (const [door = "", ...names] of doors.map((text) => text.split("\n"))) {
    const page = index.split(`[${door}](`)[1]?.split(")")[0];
    const text = readFileSync(join(out, page ?? `no page of ${door}`), "utf8").replaceAll("\\_", "_");
    // A namespace is a page of its own, which the page links to.
    const headings = new Set([...text.matchAll(/^(?:#+ (?:`abstract` )?|- \[)(\w+)/gm)].map(([, name]) => name));
    const missing = names.map((line) => line.trim().replace(" (type)", "")).filter((name) => !headings.has(name));
    expect([door, missing]).toEqual([door, []]);
  }
  expect(readFileSync(join(out, "haft.md"), "utf8")).toContain("Puts Haft together for one folder and one session");
});
