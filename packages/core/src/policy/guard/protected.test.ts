import { describe, expect, it } from "vitest";
import { pathFold, protectedPaths } from "../index.ts";

describe("what of a repository governs it", () => {
  const paths = protectedPaths(pathFold("linux"));

  it.each([
    ...["/w/.git/config", "/w/.git/hooks/pre-commit", "/w/.git/commondir", "/w/sub/.git/commondir"],
    ...[
      "/w/.git/worktrees/x/commondir",
      "/w/.git/modules/y/config",
      "/w/.git/config.worktree",
      "/w/.git/info/attributes",
    ],
  ])("G17 %s is held out of what programs may write", (path) => {
    expect(paths.isHeldOut(path)).toBe(true);
  });

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
