// docs/rows.md is the index of what the tests hold: every row that a test names, and no other.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readTable, rowIds, rowTable } from "./support/row-ids.ts";
import { isTest, readSources } from "./support/sources.ts";

const tests = new Map([...readSources("packages", "test")].filter(([path]) => isTest(path)));
const table = readTable(readFileSync("docs/rows.md", "utf8"));

test("docs/rows.md names the rows that tests hold, each where one does (else: node scripts/rows.mjs)", () => {
  const rows = rowIds(tests);
  expect(rows.size).toBeGreaterThan(200);
  expect([...table.keys()]).toEqual([...rows.keys()]);
  for (const [id, { words, rooms }] of table) {
    expect(words, id).not.toContain("TODO");
    expect(rooms, id).not.toEqual([]);
    // More folders may hold a row than the table says: it is written anew now and then, and must not be wrong between.
    expect(rows.get(id), id).toEqual(expect.arrayContaining([...rooms]));
  }
});

test("rows are read from the beginning of titles and from nowhere else, and a table gives back what it was made of", () => {
  // In pieces, or these would be titles.
  const [first, second, other] = ["A01", "B02", "C03"];
  const text = `it("${first} ${second} works", f);\nit.each(x)("${other} %s", f);\nexpect("see D04").toBe("E05x");`;
  const rows = rowIds(new Map([["packages/core/src/tool/a.test.ts", text]]));
  expect([...rows]).toEqual([first, second, other].map((id) => [id, ["core/tool"]]));
  const words = new Map([[first, { words: "one", rooms: [] }]]);
  expect([...readTable(rowTable(rows, words))].map(([id, row]) => [id, row.words, row.rooms])).toEqual([
    [first, "one", ["core/tool"]],
    [second, "TODO: say what it is", ["core/tool"]],
    [other, "TODO: say what it is", ["core/tool"]],
  ]);
});
