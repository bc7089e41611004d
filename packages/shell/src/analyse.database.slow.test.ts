import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { analyseInPlace } from "./index.ts";
import "../../../test/support/seed.ts";

const { files } = createHost({ cwd: "/" }).ports;
const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-database-")));
const app = join(base, "app.db");
afterAll(() => rmSync(base, { recursive: true, force: true }));
beforeEach(() => rmSync(app, { force: true }));

const sqlite = (sql: string): string => execFileSync("sqlite3", [app], { input: sql, cwd: base, encoding: "utf8" });
const isRead = async (script: string): Promise<boolean> =>
  !(await analyseInPlace(script, { cwd: base, home: base }, files)).opaque;
const asks = async (): Promise<boolean> => !(await isRead("sqlite3 -readonly app.db 'select * from t'"));
const hasSqlite = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/bin/sqlite3"].some((path) => existsSync(path));

/** Statements of which the last one makes something that calls a function of the program. */
const HOSTILE: readonly string[] = [
  "create view t as select edit('x', 'touch made')",
  "create view t as select EDIT ('x', 'touch made')",
  'create view t as select "edit"(1, 2)',
  "create view t as select [Edit](1, 2)",
  "create view t as select/**/edit/**/(1, 2)",
  "create view t as select 1,edit\n(1, 2)",
  "create view t as select readfile('/etc/hostname')",
  "create view t as select writefile('made', 'x')",
  "create view t as select load_extension('./x')",
  "create view t as select name from fsdir('/')",
  "create view t as select name from (select '/' as path) natural join fsdir",
  "create view t as select * from pragma_optimize(0xfffe)",
  "create view t as select sha3_query('select 1')",
  "create view v as select edit(1, 2) as a; create view t as select * from v",
  "create virtual table t using zipfile('/etc/x.zip')",
];

describe.skipIf(!hasSqlite)("a database with commands of its own", () => {
  it.each(["UTF-8", "UTF-16le", "UTF-16be"])(
    "G07 in %s: a schema that calls other programs or files is asked about",
    async (encoding) => {
      for (const sql of HOSTILE) {
        rmSync(app, { force: true });
        sqlite(`pragma encoding='${encoding}'; create table usual(a, edited_at, credit); ${sql};`);
        expect([sql, await asks()]).toEqual([sql, true]);
        rmSync(app, { force: true });
        sqlite(
          `pragma encoding='${encoding}'; create table t(a, edited_at, credit); create view usual as select a from t;`,
        );
        expect(await asks()).toBe(false);
      }
    },
  );

  it("G07 a word that lies on two pages is one word at every cut", async () => {
    for (let length = 380; length < 520; length++) {
      rmSync(app, { force: true });
      sqlite(`pragma page_size=512; create view t as select '${"x".repeat(length)}', edit(1, 'touch made');`);
      expect([length, await asks()]).toEqual([length, true]);
    }
  });

  it("G07 bytes behind a statement do not hide its last word", { tags: ["smoke"] }, async () => {
    const sql = "CREATE VIEW t as select*from(select 1) natural join fsdir";
    sqlite(`create table fsdirx(path); ${sql}x;`);
    const bytes = readFileSync(app);
    // Two bytes give the length of the statement. Without the statement's last letter one byte suffices, and the letter becomes a column.
    const at = bytes.lastIndexOf(Buffer.from([0x81, 2 * sql.length + 15 - 128]), bytes.indexOf(`${sql}x`));
    bytes.set([2 * sql.length + 13, 15], at);
    writeFileSync(app, bytes);
    expect(sqlite("select sql from sqlite_master where name = 't'").trim()).toMatch(/fsdir$/);
    expect(await asks()).toBe(true);
  });

  it("G07 a broken database or another file is asked about", async () => {
    sqlite("create table t(a)");
    const whole = readFileSync(app);
    const broken: readonly ((bytes: Buffer) => Uint8Array)[] = [
      () => Buffer.alloc(0),
      () => Buffer.from("x".repeat(5000)),
      (bytes) => bytes.subarray(0, 300),
      (bytes) => bytes.fill(0x02, 100, 101),
      (bytes) => bytes.fill(0x05, 100, 101),
      (bytes) => bytes.fill(0xff, 103, 105),
      (bytes) => bytes.fill(0, 16, 18),
    ];
    for (const [index, breakIt] of broken.entries()) {
      writeFileSync(app, breakIt(Buffer.from(whole)));
      expect([index, await asks()]).toEqual([index, true]);
    }
    writeFileSync(app, whole);
    expect(await asks()).toBe(false);
  });

  it("G07 law: every word that sqlite3 shows of a schema is seen, however many pages it has", async () => {
    const name = fc.stringMatching(/^[a-z]{1,60}$/);
    const table = fc.tuple(name, fc.array(name, { minLength: 1, maxLength: 40 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(table, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(512, 1024, 65536),
        fc.constantFrom("UTF-8", "UTF-16le", "UTF-16be"),
        async (tables, size, encoding) => {
          rmSync(app, { force: true });
          const made = tables.map(
            ([one, columns], index) => `create table "${one}_${index}"(${columns.map((word, at) => `${word}_${at}`)});`,
          );
          sqlite(`pragma page_size=${size}; pragma encoding='${encoding}'; ${made.join("")}`);
          const words = sqlite("select sql from sqlite_master").toLowerCase().match(/\w+/g) ?? [];
          for (const word of words)
            expect([word, await files.mentions?.(app, [` ${word} `], { schema: true })]).toEqual([word, true]);
          expect(await files.mentions?.(app, [" edit ", " readfile"], { schema: true })).toBe(false);
        },
      ),
      { numRuns: 12 },
    );
  });

  it("G01 G07 only a script that names tables depends on what they are", async () => {
    sqlite("create view t as select edit('x', 'touch made')");
    expect(await isRead("sqlite3 -readonly app.db .schema")).toBe(true);
    expect(await isRead("sqlite3 -readonly none.db 'select * from t'")).toBe(true);
    for (const script of [
      "sqlite3 -readonly -safe app.db 'select * from t'",
      "sqlite3 app.db 'select * from t'",
      "sqlite3 -readonly app.db 'pragma integrity_check'",
      "sqlite3 -safe app.db 'select * from pragma_optimize(0xfffe)'",
      `sqlite3 -readonly app.db "select sha3_query('att'||'ach x as y')"`,
    ])
      expect([script, await isRead(script)]).toEqual([script, false]);
    expect(existsSync(join(base, "made"))).toBe(false);
  });
});
