import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkChain } from "@haft/journal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSessionLog, readSessionLog, type SessionLog } from "./session-log.ts";

let base: string;
let log: SessionLog;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-record-")));
  log = openSessionLog(join(base, "deep", "session.jsonl"));
});
afterEach(() => {
  log.close();
  rmSync(base, { recursive: true, force: true });
});

const marks = () => readSessionLog(log.path).entries.map(({ mark }) => mark);
const health = () => checkChain(readFileSync(log.path, "utf8"));

describe("the record of a session", () => {
  it("E15 an entry is on its way back only when it can be read, alone or together with others", async () => {
    await log.enter({ t: "call", mark: 1 });
    expect(marks()).toEqual([1]);
    const seen = await Promise.all([2, 3, 4].map((mark) => log.enter({ t: "call", mark }).then(marks)));
    expect(seen).toEqual([2, 3, 4].map(() => [1, 2, 3, 4]));
    expect(health()).toMatchObject({ lines: 4, broken: [], torn: 0 });
  });

  it("E15 entries keep their order, whichever way they come", async () => {
    const first = log.enter({ t: "call", mark: 1 });
    log.append({ t: "approval", mark: 2 });
    expect(marks()).toEqual([1, 2]);
    const third = log.enter({ t: "call", mark: 3 });
    expect(log.head()).toBe(health().head);
    await Promise.all([first, third]);
    log.append({ t: "end", mark: 4 });
    expect(marks()).toEqual([1, 2, 3, 4]);
    expect(health()).toMatchObject({ broken: [], torn: 0 });
  });

  it("E15 a torn line, or one with two values, costs itself alone", async () => {
    for (const mark of [1, 2]) log.append({ t: "call", mark });
    const two = `{"t":"call","mark":3},{"t":"call","mark":4}`;
    writeFileSync(
      log.path,
      `${readFileSync(log.path, "utf8")}{"t":"call"\n"mark":9}\n${two}\n{"t":"call","mark":5}\n{"t":"ca`,
    );
    expect(marks()).toEqual([1, 2, 5]);
    expect(readSessionLog(log.path).skipped).toBe(4);
  });

  it("E15 nothing is lost by closing", async () => {
    const last = log.enter({ t: "call", mark: 1 });
    log.close();
    expect(marks()).toEqual([1]);
    await last;
  });

  it("E15 an entry that cannot be said fails alone; a disk that says no is heard by all", async () => {
    const cycle: Record<string, unknown> = { t: "call" };
    cycle.self = cycle;
    const before = log.enter({ t: "call", mark: 1 });
    expect(() => log.enter(cycle as { t: string })).toThrow(/circular/);
    await before;
    expect(marks()).toEqual([1]);

    writeFileSync(join(base, "file"), "");
    const nowhere = openSessionLog(join(base, "file", "session.jsonl"));
    const refused = await Promise.allSettled([1, 2].map((mark) => nowhere.enter({ t: "call", mark })));
    expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(() => nowhere.append({ t: "end" })).toThrow(/ENOTDIR|EEXIST/);
    nowhere.close();
  });

  it.skipIf(!existsSync("/dev/full"))("E15 a full disk is said in words, with the cure", async () => {
    const path = join(base, "full.jsonl");
    symlinkSync("/dev/full", path);
    const full = openSessionLog(path);
    const refusal = {
      code: "no_space",
      message: expect.stringContaining("the disk is full"),
      hint: expect.any(String),
    };
    await expect(full.enter({ t: "call" })).rejects.toMatchObject(refusal);
    expect(() => full.append({ t: "end" })).toThrow(expect.objectContaining({ hint: expect.stringContaining(base) }));
    full.close();
  });
});
