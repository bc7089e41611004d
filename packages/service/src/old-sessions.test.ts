import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownMark } from "@haft/host";
import { afterEach, expect, it, vi } from "vitest";
import { stateFolder } from "./state-folder.ts";

const folders: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const DAY_MS = 24 * 3600_000;
const NOW = Date.now();

/** Sessions of a workspace, each with a record, a long output and a job's, of which the last was written so many days ago. */
function sessions(ages: Readonly<Record<string, { readonly record: number; readonly job: number }>>) {
  const root = mkdtempSync(join(tmpdir(), "haft-spills-"));
  folders.push(root);
  const state = stateFolder(root, { HAFT_STATE_DIR: root });
  for (const [id, { record, job }] of Object.entries(ages)) {
    const folder = state.session("/w", id);
    const put = (name: string, days: number) => {
      const path = join(folder, name);
      writeFileSync(path, "x");
      utimesSync(path, new Date(NOW - days * DAY_MS), new Date(NOW - days * DAY_MS));
    };
    mkdirSync(join(folder, "spill/jobs"), { recursive: true });
    put("session.jsonl", record);
    put("spill/1-c1.txt", record);
    put("spill/jobs/j1.log", job);
    for (const name of ["spill/jobs", "spill", "."]) {
      const at = new Date(NOW - record * DAY_MS);
      utimesSync(join(folder, name), at, at);
    }
  }
  const left = () => Object.keys(ages).filter((id) => existsSync(join(state.session("/w", id), "spill")));
  const endIn = (days: number, workspace = "/w") => {
    vi.spyOn(Date, "now").mockReturnValue(NOW + days * DAY_MS);
    state.tidy(workspace, {});
  };
  return { state, left, endIn };
}

it("H15 long outputs go with the sessions that nobody goes on with, records and what still runs stay", () => {
  const { state, left, endIn } = sessions({
    old: { record: 31, job: 31 },
    recent: { record: 29, job: 29 },
    running: { record: 40, job: 0 },
  });
  endIn(0);
  expect(left()).toEqual(["recent", "running"]);
  expect(readdirSync(state.session("/w", "old"))).toEqual(["session.jsonl"]);
});

it("H15 it looks once a day, and makes no folder where no session was", () => {
  const { state, left, endIn } = sessions({ a: { record: 29.5, job: 29.5 } });
  endIn(0);
  endIn(0.9);
  expect(left()).toEqual(["a"]);
  endIn(1.1);
  expect(left()).toEqual([]);
  endIn(0, "/other");
  expect(existsSync(state.workspace("/other"))).toBe(false);
});

it("E15 prune removes sessions that nobody has continued, apart from the latest", () => {
  const root = mkdtempSync(join(tmpdir(), "haft-prune-"));
  folders.push(root);
  const state = stateFolder(root, { HAFT_STATE_DIR: root });
  for (const [id, days] of Object.entries({ old: 90, older: 200, recent: 3, latest: 1 })) {
    mkdirSync(join(state.session("/w", id), "spill"), { recursive: true });
    const record = join(state.session("/w", id), "session.jsonl");
    writeFileSync(record, "{}\n{}\n");
    utimesSync(record, new Date(NOW - days * DAY_MS), new Date(NOW - days * DAY_MS));
  }
  expect([...state.prune("/w", { days: 30 })].sort()).toEqual(["old", "older"]);
  expect(state.sessions("/w")).toEqual(["latest", "recent"]);
  expect(existsSync(state.session("/w", "old"))).toBe(false);
  expect(state.prune("/w", { days: 2 })).toEqual(["recent"]);
  expect(state.prune("/w", { days: 1 })).toEqual([]);
});

it("E15 a count keeps the latest sessions; an open one and those of the last hour stay in any case", () => {
  const { state } = sessions({
    newest: { record: 1, job: 1 },
    second: { record: 2, job: 2 },
    open: { record: 50, job: 50 },
    third: { record: 3, job: 3 },
    old: { record: 100, job: 100 },
  });
  const folder = (id: string) => state.session("/w", id);
  mkdirSync(join(folder("open"), "open"));
  const mark = join(folder("open"), "open", `${ownMark()}.1`);
  writeFileSync(mark, "");
  const past = new Date(NOW - 50 * DAY_MS);
  utimesSync(mark, past, past);
  mkdirSync(join(folder("dead"), "open"), { recursive: true });
  writeFileSync(join(folder("dead"), "open", "1-1.1"), "");
  expect(state.prune("/w", { count: 1 })).toEqual(["newest", "second", "third", "old"]);
  expect(existsSync(folder("open"))).toBe(true);
  expect(existsSync(folder("dead"))).toBe(true);
  expect(state.prune("/w", { days: 0, count: 0 })).toEqual([]);
});
