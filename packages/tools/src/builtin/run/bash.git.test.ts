import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWorld, type World } from "../../../test/support/context.ts";
import { bash } from "./bash.ts";

let world: World;
let cwd: string;
beforeEach(async () => {
  world = await createWorld();
  cwd = world.folder;
  spawnSync("git", ["init", "-q", cwd]);
});
afterEach(() => world.close());

async function isRead(command: string, folder = cwd): Promise<boolean> {
  const effects = await bash.effects({ command }, { ...world.effectContext, cwd: folder });
  return effects.every((effect) => effect.do === "read" || (effect.do === "run" && !effect.opaque));
}

it("G02 git reads are reads in a tame repository, and not where its configuration runs programs", async () => {
  expect(await isRead("git status && git diff")).toBe(true);
  appendFileSync(join(cwd, ".git/config"), '[diff "x"]\n\ttextconv = touch evil\n');
  expect(await isRead("git status && git diff")).toBe(false);
  expect(await isRead("ls && cat .git/config")).toBe(true);
});

it("G02 the configuration is found from a folder below, behind a .git file, and in a bare repository", async () => {
  appendFileSync(join(cwd, ".git/config"), "[core]\n\tfsmonitor = touch evil\n");
  mkdirSync(join(cwd, "a/b"), { recursive: true });
  expect(await isRead("git status", join(cwd, "a/b"))).toBe(false);
  mkdirSync(join(cwd, "linked"));
  writeFileSync(join(cwd, "linked/.git"), `gitdir: ${join(cwd, ".git")}\n`);
  expect(await isRead("git log", join(cwd, "linked"))).toBe(false);
  spawnSync("git", ["init", "-q", "--bare", join(cwd, "bare.git")]);
  appendFileSync(join(cwd, "bare.git/config"), "[core]\n\tpager = touch evil\n");
  expect(await isRead("git log", join(cwd, "bare.git"))).toBe(false);
});

it("G02 a configuration that would run a program on a read does not get to, even when a person lets it run", async () => {
  appendFileSync(join(cwd, ".git/config"), "[core]\n\tfsmonitor = touch evil-ran; false\n");
  await world.use(bash, { command: "git status" });
  expect(existsSync(join(cwd, "evil-ran"))).toBe(false);
});
