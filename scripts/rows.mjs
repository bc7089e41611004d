// Writes the table of docs/rows.md anew from the titles of the tests; the words of each row stay. Run it after a test got
// a new row, then give the row its words.
import { readFileSync, writeFileSync } from "node:fs";
import { readTable, rowIds, rowTable } from "../test/support/row-ids.ts";
import { isTest, readSources } from "../test/support/sources.ts";

const FILE = "docs/rows.md";
const page = readFileSync(FILE, "utf8");
const tests = new Map([...readSources("packages", "test")].filter(([path]) => isTest(path)));
writeFileSync(FILE, page.slice(0, page.indexOf("| row |")) + rowTable(rowIds(tests), readTable(page)));
