import { describe, expect, it } from "vitest";
import { protectedPaths } from "../index.ts";

describe("the files that govern a repository", () => {
  const paths = protectedPaths();

  it.each([
    ...["/w/.git/config", "/w/.git/hooks/pre-commit", "/w/.git/commondir", "/w/sub/.git/commondir"],
    ...[
      "/w/.git/worktrees/x/commondir",
      "/w/.git/modules/y/config",
      "/w/.git/config.worktree",
      "/w/.git/info/attributes",
    ],
    // On a disk that ignores case they are the same.
    ...["/w/.GIT/hooks/pre-commit", "/w/.Git/Config", "/w/.HAFT/settings.json"],
  ])("G17 %s is held out of what programs may write", (path) => {
    expect(paths.isHeldOut(path)).toBe(true);
  });

  it.each([
    "/bin/ls",
    "/usr/local/bin/rg",
    "/usr/lib/x86_64-linux-gnu/libc.so.6",
    "/etc/ld.so.preload",
    "/etc/profile.d/x.sh",
  ])("F30 %s runs in whatever runs, so it is protected in a workspace that is the root too", (path) => {
    expect(paths.nameOf(path)).toBeDefined();
  });

  it.each(["/w/usr/bin/ls", "/usr/share/x", "/usr/local/src/app/bin/x", "/etc/hosts", "/libs/x", "/binary"])(
    "F30 %s is no program of the machine",
    (path) => {
      expect(paths.nameOf(path)).toBeUndefined();
    },
  );

  it.each([
    "/w/.git/HEAD",
    "/w/.git/objects/aa/commondir1",
    "/w/.git/worktrees/x/HEAD",
    "/w/.git/refs/heads/main",
    "/w/commondir",
  ])("G17 %s is ordinary work", (path) => {
    expect(paths.isHeldOut(path)).toBe(false);
  });
});
