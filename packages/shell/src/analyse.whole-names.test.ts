import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseInPlace } from "./index.ts";

const { files } = createHost({ cwd: "/" }).ports;
let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-whole-")));
  for (const [folder, odd] of Object.entries(ODD)) {
    mkdirSync(join(base, folder, "src"), { recursive: true });
    for (const name of ["a.ts", "b.ts", odd].filter((one) => one !== ""))
      writeFileSync(join(base, folder, "src", name), "x\n");
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Folders, and what lies in them beside usual names. */
const ODD = {
  plain: "",
  blank: "a .env b.ts",
  tab: "a\tb.ts",
  line: "a\nb.ts",
  star: "*.ts",
  set: "[.]e.ts",
  slash: "a\\.ts",
};

async function isRead(script: string, folder: string): Promise<boolean> {
  const { opaque, effects } = await analyseInPlace(script, { cwd: join(base, folder), home: base }, files);
  return !opaque && effects.every(({ do: word }) => word === "run" || word === "read");
}

describe("a name that a wildcard gave, without quotes", () => {
  it.each([
    "for f in src/*.ts; do head -3 $f; done",
    'for f in src/*.ts; do echo "$f: $(wc -l < $f)"; done',
    "for f in src/*.{ts,tsx}; do test -s $f && sed -n 1,5p $f; done",
    "for f in src/*.ts lib/*.js README.md; do head -3 $f; done",
    "for f in ./src/*; do grep -c import $f; done",
    "cd src && for f in *.ts; do [ -f $f ] && head -1 $f; done",
    "for f in src/*.ts; do cat ${f}; done",
  ])("G01 G07 %s only reads where no name falls apart", async (script) => {
    for (const folder of Object.keys(ODD)) {
      expect([folder, await isRead(script, folder)]).toEqual([folder, folder === "plain"]);
    }
  });

  it.each([
    'for f in src/*.ts; do g="$f -o x"; sort $g; done',
    'for f in src/*.ts; do g="$f*"; sed -n 1p $g; done',
    'for f in src/*.ts; do g="-i $f"; sed -n 1p $g; done',
    "for f in src/*/*.ts; do sed -n 1p $f; done",
    "for f in src/**; do sed -n 1p $f; done",
    "for f in ../*/*.ts; do sed -n 1p $f; done",
    "IFS=r; for f in src/*.ts; do sed -n 1p $f; done",
    "touch 'src/a b.ts'; for f in src/*.ts; do sed -n 1p $f; done",
    "for f in $(ls src/*.ts); do sed -n 1p $f; done",
    "for f in src/*.ts; do $f; done",
    "for f in src/*.ts; do . $f; done",
    "for f in src/*.ts; do eval $f; done",
    "for f in src/*.ts; do declare $f; done",
    "for f in src/*.ts; do cat x > $f; done",
    "for f in src/*.ts; do rm $f; done",
    'for f in README.md .env src/*.ts; do cat "$f"; done',
    'for f in -i src/*.ts src/*.md; do sed -n 1p "$f"; done',
    'for f in .* src/*.md; do cat "$f"; done',
    'for f in */../* src/*.md; do cat "$f"; done',
    "cd $X; for f in src/*.ts; do head -1 $f; done",
  ])("G07 %s is not read so, with any names", async (script) => {
    expect(await isRead(script, "plain")).toBe(false);
  });

  it.each([
    "for f in $(find src -name '*.ts'); do head -3 $f; done",
    "for f in $(ls src/*.ts); do grep -c import $f; done",
    "for f in $(git ls-files src); do wc -l < $f; done",
    "git grep -l foo | xargs grep -n bar",
    "git grep -lz -e foo -- src | xargs -0 wc -l",
  ])(
    "G01 %s: a word that was split already holds no blank, and no option of these programs does harm",
    async (script) => {
      expect(await isRead(script, "blank")).toBe(true);
    },
  );

  it.each([
    "for f in $(find src -name '*.ts'); do sed -n 3p $f; done",
    "for f in $(find src -name '*.ts'); do $f; done",
    'for f in $(find src); do g="$f -o x"; sort $g; done',
    "git grep -l foo HEAD | xargs cat",
    "git grep -n foo | xargs cat",
    "git grep -l foo | xargs sed -n 1p",
    "git grep -O./x -l foo | xargs cat",
  ])("G07 %s is asked about", async (script) => {
    expect(await isRead(script, "blank")).toBe(false);
  });
});

describe("a name that a listing gave, line by line and without quotes", () => {
  it.each([
    "ls src | while read f; do head -5 src/$f; done",
    "ls -1 src | sort -r | while read -r f; do head -5 src/$f; done",
    "cd src && ls | while read f; do wc -l $f; done",
    'ls -1 src | while read c; do echo "$c: $(wc -l < src/$c)"; done',
    'D=src; for f in "$D"/*.ts; do wc -l $f; done',
    "D=src; for f in $D/*.ts; do sed -n 1p $f; done",
    "find src -name '*.ts' | while read f; do grep -c x $f; done",
    "find src -type f | grep -v test | head -3 | while read -r f; do sed -n 1p $f; done",
    'while read f; do echo "== $f"; head -3 $f; done < <(find ./src -type f)',
  ])("G01 G07 %s only reads where no name falls apart", async (script) => {
    for (const folder of Object.keys(ODD))
      expect([folder, await isRead(script, folder)]).toEqual([folder, folder === "plain"]);
  });

  it("G07 a look at the names of a tree is one at all of it", async () => {
    mkdirSync(join(base, "deep/src/a/b"), { recursive: true });
    const script = "find src | while read f; do sed -n 1p $f; done";
    expect(await isRead(script, "deep")).toBe(true);
    writeFileSync(join(base, "deep/src/a/b/x -i y"), "");
    expect(await isRead(script, "deep")).toBe(false);
    expect(await isRead("ls src | while read f; do head -5 src/$f; done", "deep")).toBe(true);
  });

  it.each([
    "for f in src/*.ts; do cd lib; head -1 $f; done",
    "ls src | while read f; do cd lib; head -1 src/$f; done",
    "find src -type f | while read f; do cd lib; head -1 $f; done",
  ])("G07 %s: the names are those of the folder in which they were found", async (script) => {
    mkdirSync(join(base, "blank/lib/src"), { recursive: true });
    expect(await isRead(script, "blank")).toBe(false);
  });

  it.each([
    "ls src | while read -d '' f; do sed -n 1p src/$f; done",
    "ls src lib | while read f; do sed -n 1p src/$f; done",
    "ls -l src | while read f; do head src/$f; done",
    "ls -R src | while read f; do head src/$f; done",
    "ls src 2>&1 | while read f; do head $f; done",
    "ls src | tr x ' ' | while read f; do head src/$f; done",
    "ls src | while read f g; do head src/$f; done",
    'ls src | while IFS=x read f; do head "src/$f/y"; done',
    'ls src | while IFS=". " read f; do head "$f"; done',
    'ls src | while read f; do g="$f /etc/x"; head $g; done',
    "ls src | while read f; do sed -n 1p $f; done",
    "ls src | while read f; do $f; done",
    "ls src | while read f; do rm src/$f; done",
    "ls src | while read f; do cat x > src/$f; done",
    "ls ../x | while read f; do head $f; done",
    "ls $X | while read f; do head $f; done",
    "mapfile -t a < <(ls src); head $a",
    "find -L src | while read f; do head $f; done",
    "find src -follow | while read f; do head $f; done",
    "find src -printf '%p x' | while read f; do head $f; done",
    "find ../src | while read f; do head $f; done",
    "git ls-files | while read f; do head $f; done",
    "git ls-files | while read f; do sed -n 1p $f; done",
    "touch 'src/a b'; ls src | while read f; do head src/$f; done",
  ])("G07 %s is not read so, with any names", async (script) => {
    expect(await isRead(script, "plain")).toBe(false);
  });
});

const sqlite = (folder: string, sql: string): void => {
  execFileSync("sqlite3", ["app.db", sql], { cwd: join(base, folder), stdio: "pipe" });
};
const hasSqlite = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/bin/sqlite3"].some((path) => existsSync(path));

describe("a database that is opened for writing and read", () => {
  const READ = [
    "sqlite3 app.db .tables",
    "sqlite3 -header app.db 'select count(*) from t' | head",
    'cd . && sqlite3 app.db ".schema t" 2>/dev/null',
    "sqlite3 app.db 'pragma table_info(t); select 1'",
    "sqlite3 app.db 'with a as (select 1) select * from a'",
    "sqlite3 app.db 'explain query plan select * from t'",
  ];
  const CHANGED = [
    "sqlite3 app.db 'with a as (select 1) delete from t'",
    "sqlite3 app.db 'pragma user_version(5)'",
    "sqlite3 app.db 'pragma journal_mode(wal)'",
    "sqlite3 app.db 'explain pragma journal_mode(wal)'",
    "sqlite3 app.db 'select optimize(t) from t'",
    "sqlite3 app.db 'select 1; drop table t'",
    "sqlite3 app.db 'select 1' '.output x'",
    "sqlite3 *.db 'select 1'",
    "sqlite3 file:app.db 'select 1'",
    "sqlite3 none.db 'select 1'",
    "sqlite3 src 'select 1'",
    "rm app.db-wal; sqlite3 app.db 'select 1'",
    "sqlite3 app.db < x",
  ];

  it.skipIf(!hasSqlite)(
    "G01 G03 changes nothing where it keeps no log and nothing lies beside it, and is asked about otherwise",
    async () => {
      sqlite("plain", "create table t(a); insert into t values(1)");
      for (const size of [512, 4096, 65536]) {
        sqlite("plain", `pragma page_size=${size}; vacuum`);
        for (const script of READ) {
          expect([script, await isRead(script, "plain")]).toEqual([script, true]);
          execFileSync("bash", ["-c", script], { cwd: join(base, "plain"), stdio: "pipe" });
          expect(readdirSync(join(base, "plain"))).toEqual(["app.db", "src"]);
        }
        for (const script of CHANGED) expect([script, await isRead(script, "plain")]).toEqual([script, false]);
        sqlite("plain", "pragma journal_mode=wal");
        for (const script of [
          READ[0]!,
          "sqlite3 -readonly app.db .tables",
          "sqlite3 -readonly -safe app.db 'select 1'",
        ])
          expect([size, script, await isRead(script, "plain")]).toEqual([size, script, false]);
        sqlite("plain", "pragma journal_mode=delete");
      }
      for (const beside of ["-wal", "-journal", "-shm"]) {
        writeFileSync(join(base, "plain", `app.db${beside}`), "");
        expect(await isRead(READ[0]!, "plain")).toBe(false);
        rmSync(join(base, "plain", `app.db${beside}`));
      }
    },
  );
});
