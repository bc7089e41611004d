import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { analyseInPlace } from "../../index.ts";

let place: string;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "haft-sqlite-")));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const { files } = createHost({ cwd: "/" }).ports;
const hasSqlite = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/bin/sqlite3"].some((path) => existsSync(path));
const sqlite = (...args: readonly string[]): string =>
  execFileSync("sqlite3", args, { cwd: place, stdio: "pipe" }).toString();
const asks = async (command: string): Promise<boolean> => {
  const { opaque, effects } = await analyseInPlace(command, { cwd: place, home: "/home/u" }, files);
  return opaque || effects.some(({ do: word }) => word !== "run" && word !== "read");
};

const START = "edit(a, 'touch ran; true')";
/** A database, and a call with which it starts a program. */
const STARTING = [
  [
    "a view that is called a table",
    `create table t(a); insert into t values('x'); create view v as select ${START} from t;
     pragma writable_schema=on; update sqlite_master set type='table' where name='v'`,
    ["app.db", ".dump"],
  ],
  [
    "a view, read before -safe",
    `create table t(a); insert into t values('x'); create view v as select ${START} from t`,
    ["-cmd", "select * from v", "-safe", "app.db", ".tables"],
  ],
  [
    "a condition of a table",
    `create table t(a check (${START} is not null)); pragma ignore_check_constraints=on;
     insert into t values('x')`,
    ["-safe", "app.db", "pragma integrity_check"],
  ],
] as const;

describe.runIf(hasSqlite)("databases that start programs", () => {
  it.each(STARTING)("G03 %s: such a call is asked about", async (_, sql, call) => {
    sqlite("app.db", sql);
    sqlite(...call);
    // The line was worth refusing: it has started one.
    expect(existsSync(join(place, "ran"))).toBe(true);
    const quoted = call.map((word) => `'${word}'`).join(" ");
    expect(await asks(`sqlite3 ${quoted}`)).toBe(true);
    expect(await asks(`sqlite3 -readonly ${quoted}`)).toBe(true);
  });

  it("G01 the same database may be listed if it is opened for reading alone", async () => {
    sqlite("app.db", STARTING[1][1]);
    for (const call of [".tables", "-safe app.db .tables", ".schema"]) {
      const script = `sqlite3 -readonly ${call.includes("app.db") ? call : `app.db ${call}`}`;
      expect([script, await asks(script)]).toEqual([script, false]);
    }
  });
});
