import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { seenPlace } from "../../test/support/seen-place.ts";
import { createHaft } from "./create-haft.ts";

let base: string;
beforeEach(() => {
  base = seenPlace("prepare");
  for (const name of ["work/.haft", "home"]) mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(base, "work/a.txt"), "a");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (sandbox: string) => {
  const settings = join(base, "settings.json");
  writeFileSync(settings, JSON.stringify({ sandbox }));
  const places = { cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), settings };
  return createHaft({ ...places, env: {} });
};

/** Ids of the sandboxes that stand for this workspace. */
const standing = (): readonly string[] =>
  execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => /^\s*\d+ \S*bwrap /.test(line) && line.includes(join(base, "state")))
    .map((line) => line.trim().split(" ")[0]!);

describe.skipIf((await findBwrap([])) === undefined)("before the first command", () => {
  it("G15 its sandbox is put up once, serves it, and goes with Haft", async () => {
    const haft = await open("readers");
    try {
      haft.prepare();
      haft.with({ mode: "plan" }).prepare();
      await vi.waitFor(() => expect(standing()).toHaveLength(1), { timeout: 60_000 });
      const before = standing();
      expect(contentsText((await haft.call("Bash", { command: "cat a.txt" })).content)).toBe("a");
      expect(standing()).not.toContain(before[0]);
    } finally {
      await haft[Symbol.asyncDispose]();
    }
    expect(standing()).toEqual([]);
  });

  it("G15 nothing is put up where nothing is confined, nor when Haft is over by then", async () => {
    await using plain = await open("none");
    plain.prepare();
    const over = await open("readers");
    over.prepare();
    await over[Symbol.asyncDispose]();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(standing()).toEqual([]);
  });
});
