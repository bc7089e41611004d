// Five reports of agents that lost somebody's work, as stories. The names are those of the public threads.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { agentSession, type Script, script, treeModel, turn } from "../../../../test/support/agents.ts";
import { sessionPlaces } from "../../../../test/support/session-places.ts";

const places = sessionPlaces("data-loss");
const textOf = ({ content }: Result) => contentsText(content);
const bash = (command: string) => turn(["Bash", { command }]);
const COMMIT = "git -c user.name=t -c user.email=t@example.org commit -qam";

type Isolation = "base" | "worktree";
const both: readonly Isolation[] = ["base", "worktree"];

/** Runs one agent with this script in a place of its own, and returns its answer. */
async function story(isolation: Isolation, child: Script) {
  const model = treeModel({ Go: child });
  const { haft, cwd } = await agentSession(places, model, {
    mode: "acceptEdits",
    rules: { allow: ["Bash"] },
    ask: async ({ tool }) => (tool === "HeldChanges" ? { behavior: "deny", message: "no" } : { behavior: "allow" }),
  });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  git("init", "-q", "-b", "main");
  mkdirSync(join(cwd, "keep"));
  for (const [name, text] of Object.entries({ "a.txt": "1\n2\n3\n", ".gitignore": "ignored\n", "keep/k": "k\n" }))
    writeFileSync(join(cwd, name), text);
  git("add", ".");
  git("commit", "-qm", "zero");
  writeFileSync(join(cwd, "a.txt"), "1\n2\nthree, not committed\n");
  writeFileSync(join(cwd, "untracked.txt"), "a person's\n");
  const run = () => haft.call("Agent", { description: "a part", prompt: "Go", isolation });
  const read = (path: string) => readFileSync(join(cwd, path), "utf8");
  /** The content that is anywhere: in the workspace, in a worktree that stays, in what is held, or in a commit. */
  async function isSomewhere(text: string): Promise<boolean> {
    const { output } = await haft.call("HeldChanges", { action: "list" });
    const { held } = output as { readonly held: readonly { readonly id: string }[] };
    const shown = await Promise.all(held.map(({ id }) => haft.call("HeldChanges", { action: "show", id })));
    const { status } = spawnSync("grep", ["-rqF", "--exclude-dir=.git", "-e", text, cwd]);
    return status === 0 || shown.some((result) => textOf(result).includes(text));
  }
  return { haft, cwd, git, run, read, isSomewhere };
}

const theirs = (read: (path: string) => string) =>
  expect([read("untracked.txt"), read("keep/k")]).toEqual(["a person's\n", "k\n"]);

describe("agents lose no byte", () => {
  it.each(both)(
    "S01 hermes-agent#88113: nor where git cannot look at the copy (%s)",
    { tags: ["smoke"] },
    async (isolation) => {
      const breakGit = "if [ -d .git ]; then echo x > .git/HEAD; else echo x > .git; fi";
      const { git, run, read, isSomewhere } = await story(
        isolation,
        script(bash(`echo 'work of the agent' > new.txt; ${breakGit}`), "Done."),
      );
      const result = await run();
      expect(result.error).toBeUndefined();
      expect(await isSomewhere("work of the agent")).toBe(true);
      expect(git("log", "--format=%s")).toBe("zero\n");
      theirs(read);
      if (isolation === "worktree") expect(textOf(result)).toContain("stays");
    },
  );

  it.each(both)("S01 oh-my-pi#8868: nor the commits of an agent whose changes conflict (%s)", async (isolation) => {
    const { cwd, git, run, read } = await story(isolation, (_, at) => {
      if (at === 0) return bash(`echo first >> a.txt; ${COMMIT} one; echo second >> a.txt; ${COMMIT} two`);
      writeFileSync(join(cwd, "a.txt"), "by a person\n");
      git("commit", "-qam", "by a person");
      return "Done.";
    });
    const result = await run();
    const own = git("for-each-ref", "--format=%(refname:short)", "refs/heads/haft").trim().split("\n")[0] ?? "";
    expect(own, textOf(result)).not.toBe("");
    expect(git("log", "--format=%s", own)).toBe("two\none\nzero\n");
    expect(git("show", `${own}:a.txt`)).toContain("first\nsecond\n");
    expect(git("log", "--format=%s", "main")).toBe("by a person\nzero\n");
    expect(read("a.txt")).toBe("by a person\n");
    theirs(read);
  });

  it.each(both)("S01 pi-interactive-subagents#10: nor what an agent has not committed (%s)", async (isolation) => {
    const { cwd, run, read, isSomewhere } = await story(
      isolation,
      script(bash("echo 'edit of the agent' >> keep/k"), "Done."),
    );
    const result = await run();
    expect(await isSomewhere("edit of the agent")).toBe(true);
    if (isolation === "base") return expect(read("keep/k")).toBe("k\nedit of the agent\n");
    const [place = ""] = /\S+\.haft\/worktrees\/[\w-]+/.exec(textOf(result)) ?? [];
    expect(place.startsWith(cwd) && readFileSync(join(place, "keep/k"), "utf8")).toBe("k\nedit of the agent\n");
    theirs(read);
  });

  it.each(both)(
    "S01 agenc-core#1371: nor new files, also if git ignores them or shows none (%s)",
    async (isolation) => {
      const { git, run, read, isSomewhere } = await story(
        isolation,
        script(bash("mkdir ignored; echo 'only ignored work' > ignored/i"), "Done."),
      );
      git("config", "status.showUntrackedFiles", "no");
      const result = await run();
      expect(await isSomewhere("only ignored work"), textOf(result)).toBe(true);
      theirs(read);
    },
  );

  it.each(both)(
    "S01 trusty-tools#5661: an agent that removes its own folder is not called clean (%s)",
    async (isolation) => {
      const { git, run, read } = await story(
        isolation,
        script(bash(`echo kept >> keep/k; ${COMMIT} kept; rm -rf "$PWD" "$PWD"/.[!.]*; true`), "Done."),
      );
      git("add", ".");
      git("commit", "-qm", "clean");
      const result = await run();
      expect(textOf(result)).toMatch(/is gone|stays/);
      expect(git("log", "--format=%s", "main")).toBe("clean\nzero\n");
      expect(git("status", "--porcelain")).toBe("");
      expect(read("a.txt")).toBe("1\n2\nthree, not committed\n");
      theirs(read);
      if (isolation === "worktree") expect(git("log", "--format=%s", "haft/agent-a1")).toBe("kept\nclean\nzero\n");
      git("fsck", "--strict");
    },
  );
});
