import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let base: string;
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Makes everything below a folder, and the marks beside it, look as old as that. */
function age(folder: string, days: number): void {
  const at = new Date(Date.now() - days * 24 * 3600_000);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) utimesSync(join(folder, name), at, at);
}

it("E15 old sessions are deleted as the settings say, never an open one, and their changes can still be undone", async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-old-")));
  const cwd = join(base, "work");
  mkdirSync(cwd);
  const file = join(cwd, "a.txt");
  writeFileSync(file, "before\n");
  const open = (session: string, keepDays: number) =>
    createHaft({
      ...{ cwd, home: base, env: {}, stateDir: join(base, "state"), session, settingsFiles: false },
      ...{ settings: { sessions: { keepDays } }, mode: "acceptEdits" },
    });

  const old = await open("old", 30);
  const { error } = await old.call("Write", { file_path: file, content: "after\n" }, { id: "write-1" });
  expect(error?.code).toBe("read_first");
  await old.call("Read", { file_path: file });
  await old.call("Write", { file_path: file, content: "after\n" }, { id: "write-2" });
  const sessions = dirname(dirname(old.session.path!));
  await old[Symbol.asyncDispose]();
  await using live = await open("live", 30);
  const closeLater = async (session: string, keepDays: number) => {
    age(dirname(sessions), 60);
    await (await open(session, keepDays))[Symbol.asyncDispose]();
    return readdirSync(sessions).sort();
  };

  expect(await closeLater("first", 0)).toEqual(["first", "live", "old"]);
  expect(await closeLater("second", 90)).toEqual(["first", "live", "old", "second"]);
  expect(await closeLater("third", 30)).toEqual(["live", "third"]);
  expect(existsSync(live.session.path!)).toBe(true);
  await live.undo("write-2");
  expect(readFileSync(file, "utf8")).toBe("before\n");
});
