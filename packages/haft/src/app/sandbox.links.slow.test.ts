import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalRequest } from "@haft/core/approval";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seenPlace } from "../../test/support/seen-place.ts";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

let base: string;
let cwd: string;
beforeEach(() => {
  base = seenPlace("links");
  cwd = join(base, "home/work");
  for (const folder of ["home/work/.haft", "home/work/sub", "home/other"])
    mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, "home/other/plan.md"), "their plan\n");
  writeFileSync(join(base, "home/list.txt"), "my list\n");
  writeFileSync(join(cwd, "own.md"), "our own plan\n");
  symlinkSync("../other/plan.md", join(cwd, "notes.md"));
  symlinkSync(join(base, "home/other"), join(cwd, "dir"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (options: HaftOptions = {}) =>
  createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false },
    ...options,
  });

const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("a link that somebody planted in the workspace", () => {
  it.each([
    "cat *.md",
    "cat dir/*",
    "cat */plan.md",
    'for f in *.md; do cat "$f"; done',
    "find . | xargs cat",
    "ls | xargs cat",
    "grep -h plan *",
    "diff -r . sub",
    "cp *.md sub/ && cat sub/notes.md",
    ...["grep -R plan .", "grep -Rh plan dir .", "find -L . -type f -exec cat {} +"],
  ])("G07 G12 %s shows nothing of what lies behind it, unasked", async (command) => {
    await using haft = await open({ mode: "acceptEdits" });
    const said = contentsText((await haft.call("Bash", { command })).content);
    expect(said).not.toContain("their plan");
    expect(said).toMatch(/our own plan|No such file|Only in|needs approval/);
  });

  it("G07 G12 a person is asked for exactly the file behind it, and after a yes the command reads it", {
    tags: ["smoke"],
  }, async () => {
    for (const behavior of ["allow", "deny"] as const) {
      const asked: ApprovalRequest[] = [];
      await using haft = await open({
        ask: async (request) => {
          asked.push(request);
          return { behavior };
        },
      });
      const said = contentsText((await haft.call("Bash", { command: "cat *.md" })).content);
      expect(asked.map(({ effects }) => effects)).toMatchObject([
        [{ do: "read", path: join(base, "home/other/plan.md") }],
      ]);
      expect(said.includes("their plan")).toBe(behavior === "allow");
      if (behavior === "deny") expect(said).toContain("leads to");
    }
  });

  it("G07 a file that was granted by name is there, by a link on the way to it too, and the folders of the workspace", async () => {
    symlinkSync("other", join(base, "home/alias"));
    mkdirSync(join(base, "added"));
    writeFileSync(join(base, "added/more.md"), "more\n");
    symlinkSync(join(base, "added/more.md"), join(cwd, "more.md"));
    const settings = join(base, "settings.json");
    writeFileSync(settings, JSON.stringify({ permissions: { additionalDirectories: [join(base, "added")] } }));
    await using haft = await open({ rules: { allow: ["Read(~/**)"] }, settings });
    for (const [command, text] of [
      ["cat ../other/plan.md", "their plan"],
      ["cat ../alias/plan.md", "their plan"],
      ["cd ../alias && cat plan.md", "their plan"],
      ["ls ../other", "plan.md"],
      ["grep -r plan ../alias/", "their plan"],
      [`cd ${join(base, "home")} && cat list.txt`, "my list"],
      ["cat more.md", "more"],
      ["pwd", cwd],
    ])
      expect([command, contentsText((await haft.call("Bash", { command: command! })).content)]).toEqual([
        command,
        expect.stringContaining(text!),
      ]);
  });

  it("G07 G02 git works in a worktree of a repository that lies elsewhere", async () => {
    const git = (...argv: string[]) => execFileSync("git", argv, { stdio: "pipe" });
    const main = join(base, "home/main");
    git("init", "-q", main);
    git(
      "-C",
      main,
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@example.com",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "start",
    );
    rmSync(cwd, { recursive: true });
    git("-C", main, "worktree", "add", "-q", cwd);
    writeFileSync(join(cwd, "a.txt"), "");
    await using haft = await open();
    const said = async (command: string) => contentsText((await haft.call("Bash", { command })).content);
    expect(await said("git log --oneline")).toContain("start");
    expect(await said("git status --short")).toContain("a.txt");
  });
});
