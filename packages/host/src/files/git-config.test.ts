import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { riskyGitConfig } from "@haft/shell";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitConfig } from "./git-config.ts";
import { nestedRepositories } from "./git-index.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "haft-git-config-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const git = (folder: string, ...args: string[]): void => {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", ["-C", folder, ...identity, ...args], { stdio: "pipe" });
};

function repository(folder: string): string {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q");
  writeFileSync(join(folder, "a"), "a\n");
  git(folder, "add", "a");
  git(folder, "commit", "-qm", "one");
  return folder;
}

describe("the configuration that git would use", () => {
  it.each(["2", "4"])(
    "G02 that of a repository inside the repository is part of it (index version %s)",
    async (version) => {
      const outer = repository(join(top, "outer"));
      const inner = repository(join(outer, "deep", "inner"));
      git(inner, "config", "filter.x.clean", "touch PWNED");
      expect(await gitConfig(outer)).not.toContain("PWNED");
      for (const name of ["deep/a", "deep/inn", "deep/zz"]) writeFileSync(join(outer, name), "x");
      git(outer, "add", ".");
      git(outer, "update-index", "--index-version", version);
      expect(nestedRepositories(readFileSync(join(outer, ".git", "index")), "sha1")).toEqual(["deep/inner"]);
      expect(await gitConfig(outer)).toContain("PWNED");
      expect(await gitConfig(join(outer, "deep"))).toContain("PWNED");
    },
  );

  it("G02 an index that is not understood is never taken for harmless", async () => {
    const outer = repository(join(top, "outer"));
    expect(await gitConfig(outer)).not.toContain("?unreadable");
    git(outer, "update-index", "--split-index");
    expect(await gitConfig(outer)).toContain("?unreadable");
    writeFileSync(join(outer, ".git", "index"), "junk");
    expect(await gitConfig(outer)).toContain("?unreadable");
  });

  it.each(["config", "index", "packed-refs"])(
    "G02 a pipe in the place of %s is not waited for, and is never harmless",
    async (name) => {
      const folder = repository(join(top, "piped"));
      rmSync(join(folder, ".git", name), { force: true });
      execFileSync("mkfifo", [join(folder, ".git", name)]);
      expect(riskyGitConfig((await gitConfig(folder)) ?? "")).not.toEqual([]);
    },
  );

  it("G02 no repository, no configuration; a repository without index has only its own", async () => {
    expect(await gitConfig(top)).toBeUndefined();
    git(top, "init", "-q");
    expect(await gitConfig(top)).toContain("[core]");
    expect(await gitConfig(top)).not.toContain("?unreadable");
  });

  it("G07 a folder that only looks like a repository does not hide the one around it", async () => {
    const outer = repository(join(top, "outer"));
    git(outer, "config", "diff.external", "touch PWNED");
    for (const hollow of ["empty/.git", "headless/.git/refs", "headless/.git/objects"])
      mkdirSync(join(outer, hollow), { recursive: true });
    expect(await gitConfig(join(outer, "empty"))).toContain("PWNED");
    expect(await gitConfig(join(outer, "headless"))).toContain("PWNED");
    expect(await gitConfig(repository(join(outer, "inner")))).not.toContain("PWNED");
  });

  it("G07 a branch or tag that is an option where a command puts it in makes a repository doubtful", async () => {
    const folder = repository(join(top, "refs"));
    git(folder, "tag", "v1-2");
    expect(riskyGitConfig((await gitConfig(folder)) ?? "")).toEqual([]);
    git(folder, "update-ref", "refs/tags/--output=PWNED", "HEAD");
    expect(riskyGitConfig((await gitConfig(folder)) ?? "")).not.toEqual([]);
    git(folder, "pack-refs", "--all");
    rmSync(join(folder, ".git/refs/tags"), { recursive: true });
    expect(riskyGitConfig((await gitConfig(folder)) ?? "")).not.toEqual([]);
  });
});
