import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseInPlace } from "./index.ts";

// Commands that agents use to explore, debug and review a repository, in a real one: written down before anybody
// looked at what is known of the programs. Each that only looks and still asks counts against it.
let place: string;
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "haft-place-")));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: place, stdio: "pipe" });
  git("init", "-q");
  mkdirSync(join(place, "packages/core/src"), { recursive: true });
  writeFileSync(join(place, "package.json"), '{"name":"a"}\n');
  git("add", ".");
  git("commit", "-q", "-m", "one");
  git("tag", "v1.0.0");
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const { files } = createHost({ cwd: "/" }).ports;
const listed = (name: string): string[] =>
  readFileSync(new URL(`../test/corpus/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replaceAll("␤", "\n").replaceAll("/repo", place));

/** Those of which a look at the place cannot show that they change nothing. */
async function asked(commands: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const command of commands) {
    const { opaque, effects } = await analyseInPlace(command, { cwd: place, home: "/home/user" }, files);
    if (opaque || effects.some(({ do: word }) => word !== "run" && word !== "read")) found.push(command);
  }
  return found;
}

describe("usual commands, in place", () => {
  it("G01 nearly all go through without a question", async () => {
    const usual = listed("place-usual");
    expect(usual.length).toBeGreaterThan(750);
    expect((await asked(usual)).length / usual.length).toBeLessThan(0.024);
  });

  it("G03 each similar command that could do something is asked about", async () => {
    const neighbours = listed("place-asked");
    expect(neighbours.length).toBeGreaterThan(100);
    const isAsked = new Set(await asked(neighbours));
    expect(neighbours.filter((command) => !isAsked.has(command))).toEqual([]);
  });
});
