import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSessionLog } from "@haft/service";
import { expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { Notice } from "../notice.ts";

it("E15 a session that is open already is said so, by whom, until that one has closed it", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-shared-")));
  const open = async (session: string) => {
    const notices: Notice[] = [];
    const onNotice = (notice: Notice) => void notices.push(notice);
    const haft = await createHaft({ cwd: base, settings: false, stateDir: join(base, "state"), session, onNotice });
    return { haft, codes: notices.map(({ code }) => code), notices };
  };
  const first = await open("one");
  expect(first.codes).toEqual([]);
  const other = await open("two");
  expect(other.codes).toEqual([]);
  const second = await open("one");
  expect(second.codes).toEqual(["session_shared"]);
  expect(second.notices[0]?.message).toContain(`process ${process.pid}`);
  for (const { haft } of [first, second]) await haft[Symbol.asyncDispose]();
  const third = await open("one");
  expect(third.codes).toEqual([]);
  for (const { haft } of [third, other]) await haft[Symbol.asyncDispose]();
});

it("E15 a process that was killed does not keep its session open", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-shared-")));
  const options = { cwd: base, settings: false, stateDir: join(base, "state"), session: "one" } as const;
  const { session } = await createHaft(options).then(async (haft) => {
    await haft[Symbol.asyncDispose]();
    return haft;
  });
  const child = spawn("true");
  await new Promise((resolve) => child.once("exit", resolve));
  const folder = join(session.path!, "../open");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${child.pid}-1.abcd`), "");
  const notices: Notice[] = [];
  await using _haft = await createHaft({ ...options, onNotice: (notice) => void notices.push(notice) });
  expect(notices).toEqual([]);
});

it("E15 a session that is open twice is shared: its record has every call of both, each in a whole line", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-shared-")));
  const open = () =>
    createHaft({ cwd: base, settings: false, stateDir: join(base, "state"), session: "one", onNotice: () => {} });
  const both = await Promise.all([open(), open()]);
  const path = both[0].session.path!;
  const ids = Array.from({ length: 40 }, (_, at) => `c${at}`);
  await Promise.all(ids.map((id, at) => both[at % 2]!.call("Glob", { pattern: `*.${id}` }, { id })));
  for (const haft of both) await haft[Symbol.asyncDispose]();
  const { entries, skipped } = readSessionLog(path);
  expect(skipped).toBe(0);
  expect(entries.flatMap(({ t, id }) => (t === "call" ? [id] : [])).sort()).toEqual(ids.toSorted());
});
