import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const places = sessionPlaces("worktrees");

async function repository() {
  const place = places.make();
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd, encoding: "utf8" });
  git(place.cwd, "init", "-q", "-b", "main");
  writeFileSync(join(place.cwd, "a.txt"), "a");
  git(place.cwd, "add", ".");
  git(place.cwd, "commit", "-qm", "one");
  const haft = await places.open({
    ...place.options,
    settings: undefined as never,
    mode: "acceptEdits",
    ask: async () => ({ behavior: "allow" }),
  });
  return { haft, git, cwd: place.cwd };
}

describe("worktrees", () => {
  it("N08 the session moves to a copy with a branch of its own, and the main checkout is only read", async () => {
    const { haft, git, cwd } = await repository();
    const entered = await haft.call("EnterWorktree", { name: "fix" });
    expect(entered.output).toEqual({ name: "fix", path: join(cwd, ".haft/worktrees/fix"), branch: "haft/fix" });
    expect(haft.cwd).toBe(join(cwd, ".haft/worktrees/fix"));
    expect((await haft.call("Write", { file_path: "b.txt", content: "b" })).error).toBeUndefined();
    expect(readFileSync(join(haft.cwd, "b.txt"), "utf8")).toBe("b");
    expect(existsSync(join(cwd, "b.txt"))).toBe(false);
    const outside = join(cwd, "a.txt");
    expect((await haft.call("Read", { file_path: outside })).error).toBeUndefined();
    expect((await haft.call("Write", { file_path: outside, content: "lost" })).error?.message).toContain(
      "main checkout",
    );
    expect((await haft.call("Bash", { command: `echo lost > ${outside}` })).error?.message).toContain("main checkout");
    expect(readFileSync(outside, "utf8")).toBe("a");
    expect(git(cwd, "status", "--porcelain")).toBe("");
    expect((await haft.call("EnterWorktree", {})).error?.code).toBe("conflict");
  });

  it("N09 removing refuses what is not committed unless told; keeping keeps; the session is back", async () => {
    const { haft, git, cwd } = await repository();
    await haft.call("EnterWorktree", { name: "fix" });
    const path = haft.cwd;
    await haft.call("Write", { file_path: "b.txt", content: "b" });
    const { error } = await haft.call("ExitWorktree", { action: "remove" });
    expect(error).toMatchObject({ code: "conflict" });
    expect(error?.message).toContain("b.txt");
    expect(haft.cwd).toBe(path);
    expect((await haft.call("ExitWorktree", { action: "keep" })).error).toBeUndefined();
    expect(haft.cwd).toBe(cwd);
    expect(existsSync(join(path, "b.txt"))).toBe(true);
    expect((await haft.call("Write", { file_path: "c.txt", content: "c" })).error).toBeUndefined();
    expect(readFileSync(join(cwd, "c.txt"), "utf8")).toBe("c");

    await haft.call("EnterWorktree", {});
    const second = haft.cwd;
    await haft.call("Write", { file_path: "d.txt", content: "d" });
    expect((await haft.call("ExitWorktree", { action: "remove", discard_changes: true })).error).toBeUndefined();
    expect(existsSync(second)).toBe(false);
    expect(git(cwd, "branch", "--list", "haft/*").trim()).toBe("+ haft/fix");
  });

  it("N09 commits stay on their branch when the worktree goes", async () => {
    const { haft, git, cwd } = await repository();
    await haft.call("EnterWorktree", { name: "kept" });
    writeFileSync(join(haft.cwd, "b.txt"), "b");
    git(haft.cwd, "add", ".");
    git(haft.cwd, "commit", "-qm", "two");
    expect((await haft.call("ExitWorktree", { action: "remove" })).error).toBeUndefined();
    expect(git(cwd, "log", "--format=%s", "haft/kept").split("\n")[0]).toBe("two");
    expect((await haft.call("ExitWorktree", { action: "keep" })).error?.code).toBe("conflict");
  });

  it("N08 outside a repository, and for a subagent, there is no such tool", async () => {
    const { haft } = await repository();
    const child = haft.with({ agent: { id: "a1", parent: "main" } });
    expect((await child.call("EnterWorktree", {})).error?.code).toBe("tool_unavailable");
    const plain = await places.open(places.make().options);
    expect((await plain.call("EnterWorktree", {})).error?.code).toBe("tool_unavailable");
  });
});
