import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gitConfig } from "../../host/src/files/git-config.ts";
import { digest, firstChange, type Pen, runPenned } from "../test/support/changes.ts";
import { analyseShell, isStaticReader, riskyGitConfig } from "./index.ts";
import { gitReaders } from "./reader/git/git-tables.ts";

// A repository in which everything that git could start is a tripwire: each hook, and each program that a configuration may name
// which counts as tame. A file is older than the index says, so that git would like to write the index back.
let pen: Pen;
const HOOKS =
  "post-index-change reference-transaction pre-commit post-checkout post-merge pre-auto-gc fsmonitor-watchman sendemail-validate";
const TAME = [
  "core.editor",
  "core.sshCommand",
  "core.askPass",
  "sequence.editor",
  "credential.helper",
  "trailer.x.command",
].concat(
  [
    "core.gitProxy",
    "browser.x.cmd",
    "difftool.x.cmd",
    "mergetool.x.cmd",
    "man.x.cmd",
    "interactive.diffFilter",
    "alias.st",
  ],
  ["receive.procReceiveRefs", "uploadpack.packObjectsHook", "submodule.x.update", "gc.recentObjectsHook", "diff.tool"],
);

beforeAll(() => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "haft-tripwire-")));
  const cwd = join(top, "repo");
  mkdirSync(join(cwd, "sub"), { recursive: true });
  for (const name of ["a", "b", "sub/x", "tracked"]) writeFileSync(join(cwd, name), "b 2\na 1\n");
  const wire = `#!/bin/sh\ntouch "${top}/tripped-$(basename "$0")"\n`;
  writeFileSync(join(cwd, "wire"), wire, { mode: 0o755 });
  for (const name of ["cat", "less", "diff", "git", "sh", "gzip"])
    writeFileSync(join(cwd, name), wire, { mode: 0o755 });
  writeFileSync(join(cwd, ".gitattributes"), "* diff=x filter=x merge=x textconv=x\n");
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...identity, ...args], { stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "one");
  git("tag", "v1");
  writeFileSync(join(cwd, "b"), "changed\n");
  git("stash", "-q");
  writeFileSync(join(cwd, "sub/x"), "z\n");
  for (const key of TAME) git("config", key, `!${join(cwd, "wire")}`);
  for (const name of HOOKS.split(" ")) writeFileSync(join(cwd, ".git/hooks", name), wire, { mode: 0o755 });
  execFileSync("touch", ["-d", "2001-01-01", join(cwd, "a"), join(cwd, "tracked")]);
  const { env } = analyseShell("git log; rg x; npm ls; man ls; nm a", { cwd, home: top });
  // If git could not write a temporary file, it would not start the program that reads it.
  pen = { top, cwd, env: { ...env, TMPDIR: top } };
});
afterAll(() => rmSync(pen.top, { recursive: true, force: true }));

const OPERANDS = ["", " HEAD", " -- a", " --stat", " -p", " -v", " --quiet", " HEAD a", " v1..HEAD", " -1"];
const works = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"]).status === 0;

describe.runIf(works)("git among tripwires", () => {
  it("G02 no git command that is called a reader starts a tripwire or writes an index", { timeout: 90_000 }, () => {
    expect(riskyGitConfig(readFileSync(join(pen.cwd, ".git/config"), "utf8"))).toEqual([]);
    const all = Object.keys(gitReaders).flatMap((name) => OPERANDS.map((operand) => `git ${name}${operand}`));
    const readers = all.filter((command) => isStaticReader(command, { cwd: pen.cwd, home: pen.top }));
    expect(readers.length).toBeGreaterThan(150);
    expect(firstChange(readers, pen)).toEqual([]);
  });

  it("G07 the tripwires would be seen: without the variables of the runner git diff starts a hook", () => {
    const before = digest(pen.top);
    runPenned(["git diff"], { ...pen, env: { GIT_OPTIONAL_LOCKS: "0" } });
    expect(digest(pen.top)).not.toBe(before);
  });

  it("G02 nor does git go into a repository that only its history knows", async () => {
    const inner = join(pen.cwd, "inner");
    const git = (folder: string, ...args: string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "pipe" });
    mkdirSync(inner);
    git(inner, "init", "-q");
    for (const text of ["one", "two"]) {
      writeFileSync(join(inner, "x"), text);
      git(inner, "add", ".");
      git(inner, "commit", "-qm", text);
      git(pen.cwd, "add", "inner");
      git(pen.cwd, "commit", "-qm", text, "inner");
    }
    git(pen.cwd, "rm", "-q", "--cached", "inner");
    git(pen.cwd, "commit", "-qm", "gone");
    const wire = readFileSync(join(pen.cwd, "wire"), "utf8").replace("tripped", "tripped-inner");
    writeFileSync(join(inner, "wire"), wire, { mode: 0o755 });
    git(inner, "config", "diff.external", join(inner, "wire"));
    git(pen.cwd, "config", "diff.submodule", "diff");
    expect(riskyGitConfig((await gitConfig(pen.cwd)) ?? "")).toEqual([]);
    const readers = [
      "git log -p",
      "git show HEAD~1",
      "git diff HEAD~2 HEAD~1",
      "git diff --submodule=log HEAD~2 HEAD~1",
    ];
    const isReader = (command: string) => isStaticReader(command, { cwd: pen.cwd, home: pen.top });
    expect(readers.filter((command) => !isReader(command))).toEqual([]);
    expect(firstChange(readers, pen)).toEqual([]);
    const into = ["git log -p --submodule=diff", 'git diff --submodule="$x" HEAD~2 HEAD~1'];
    expect(into.filter(isReader)).toEqual([]);
    const before = digest(pen.top);
    runPenned(into.slice(0, 1), pen);
    expect(digest(pen.top)).not.toBe(before);
  });
});
