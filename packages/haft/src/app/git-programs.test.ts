// An allow rule for git is none for the programs that a repository tells git to start.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let base: string;
let cwd: string;
const git = (...args: string[]) =>
  execFileSync("git", ["-C", cwd, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-git-programs-")));
  cwd = join(base, "work");
  execFileSync("git", ["init", "-q", cwd]);
  writeFileSync(join(cwd, "a.x"), "one\n");
  writeFileSync(join(cwd, ".gitattributes"), "*.x diff=x filter=x\n");
  git("add", ".");
  git("commit", "-qm", "one");
  writeFileSync(join(cwd, "a.x"), "two\n");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const PROGRAM = "touch ran; cat";
const SECTIONS = {
  filter: `[filter "x"]\n\tclean = "${PROGRAM}"\n`,
  textconv: `[diff "x"]\n\ttextconv = "${PROGRAM}"\n`,
  external: `[diff]\n\texternal = "${PROGRAM}"\n`,
} as const;
const GIT = ["Bash(git status)", "Bash(git diff)", "Bash(git log *)", "Bash(git add *)"];

async function call(command: string, allow: readonly string[]) {
  const options = { cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false } as const;
  await using haft = await createHaft({ ...options, rules: { allow } });
  return await haft.call("Bash", { command });
}

describe.each(Object.keys(SECTIONS) as (keyof typeof SECTIONS)[])("a repository with a program as %s", (key) => {
  it.each(["git status", "git diff", "git log -p", "git add a.x"])(
    "G02 an allow rule for %s does not cover it, one for both does",
    async (command) => {
      appendFileSync(join(cwd, ".git/config"), SECTIONS[key]);
      expect((await call(command, GIT)).error?.code).toBe("needs_approval");
      expect(existsSync(join(cwd, "ran"))).toBe(false);
      const result = await call(command, [...GIT, "Bash(touch ran)", "Bash(cat)"]);
      expect(result.error?.code).not.toBe("needs_approval");
    },
  );
});

it("G02 a reader that a rule allows still gets no file system monitor", async () => {
  appendFileSync(join(cwd, ".git/config"), '[core]\n\tfsmonitor = "touch ran; false"\n');
  const result = await call("git status", [...GIT, "Bash(touch ran)", "Bash(false)"]);
  expect([result.error, existsSync(join(cwd, "ran"))]).toEqual([undefined, false]);
});
