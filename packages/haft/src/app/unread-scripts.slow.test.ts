// Bash runs a script that Haft cannot parse up to the error. Haft still finds in it what rules forbid, in every mode.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

const RULES = {
  deny: ["Bash(rm *)", "Bash(git push *)", "Edit(kept/**)", "Read(closed/**)"],
  allow: ["Bash"],
};

let base: string;
let cwd: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-unread-")));
  cwd = join(base, "work");
  for (const folder of ["kept", "closed"]) mkdirSync(join(cwd, folder), { recursive: true });
  for (const file of ["a.txt", "kept/a.txt", "closed/a.txt"]) writeFileSync(join(cwd, file), "whole-content\n");
  writeFileSync(join(base, "settings.json"), JSON.stringify({ sandbox: { tier: "none" }, permissions: RULES }));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (mode: "bypassPermissions" | "default" = "bypassPermissions") =>
  createHaft({
    ...{ cwd, home: base, stateDir: join(base, "state"), settings: join(base, "settings.json"), mode },
    env: { PATH: process.env.PATH ?? "" },
  });

const isWhole = (): boolean =>
  ["a.txt", "kept/a.txt", "closed/a.txt"].every((file) => readFileSync(join(cwd, file), "utf8") === "whole-content\n");

const LONG = `# ${"x".repeat(10_001)}`;
const DEEP = `${"if true; then ".repeat(14)}rm a.txt${"; fi".repeat(14)}`;

describe.each(["bypassPermissions", "default"] as const)("in mode %s, with all of Bash allowed", (mode) => {
  it.each([
    ...["rm a.txt\n((", "rm a.txt\nfi", "rm a.txt\n'", "rm a.txt;;", "cd kept\nrm a.txt\n}", "r\\\nm a.txt\n(("],
    ...[`rm a.txt\n${LONG}`, `${LONG}\nrm a.txt`, `${"true;".repeat(1_600)}rm a.txt`, DEEP, "coproc rm a.txt"],
    ...["env 'rm' \"a.txt\"\n((", "if true; then rm a.txt; fi\n((", "x=$(rm a.txt)\n((", "echo `rm a.txt`\n(("],
    ...[
      "> kept/a.txt\n((",
      "echo x > a.txt; cd kept\necho x > a.txt\n((",
      "cat closed/a.txt\n((",
      "cd closed\ncat a.txt\n((",
    ],
    ...["eval 'rm a.txt'", "eval rm a.txt", "trap 'rm a.txt' EXIT", "alias r='rm a.txt'\nr"],
    ...["bash <<< 'rm a.txt'", "bash -s <<E\nrm a.txt\nE", "cat <<E | sh\nrm a.txt\nE", "echo 'rm a.txt' | sh"],
    ...["printf -v 'x[$(rm a.txt)]' 1", "test -v 'x[$(rm a.txt)]'", "((((((((((((rm a.txt))))))))))))"],
    ...["env - rm a.txt", "env -C . rm a.txt", "setarch -R x86_64 rm a.txt", "prlimit --nproc=9 rm a.txt"],
  ])("F12 G07 a deny rule is found in it: %j", async (command) => {
    await using haft = await open(mode);
    const { error, content } = await haft.call("Bash", { command });
    expect([command, error?.code, isWhole()]).toEqual([command, "denied_by_rule", true]);
    expect(JSON.stringify(content)).not.toContain("whole-content");
  });

  it.each(["haft trust\n((", "sudo -n true\nfi", "bash <<< 'haft trust'", `haft approvals allow x\n${LONG}`])(
    "G05 a forbidden command stays forbidden there: %j",
    async (command) => {
      await using haft = await open(mode);
      expect((await haft.call("Bash", { command })).error?.message).toContain("forbidden");
    },
  );
});

it("F29 a command that no rule means runs as before if everything is allowed", async () => {
  await using haft = await open();
  for (const command of ["echo fine\n((", "eval 'echo fine'", "bash <<< 'echo fine'", `echo fine\n${LONG}`]) {
    const result = await haft.call("Bash", { command });
    expect([command, JSON.stringify(result)]).toEqual([command, expect.stringContaining("fine")]);
    expect(result.error?.code ?? "").not.toMatch(/denied|approval/);
  }
});

describe("options in front of what a rule names", () => {
  it.each([
    ...[
      "git -C . push",
      "git -c a.b=c push x",
      "git --no-pager push",
      "git --git-dir .git push",
      "env git -P -C . push",
    ],
    ...["git --git-dir=.git --work-tree . push --force", "/usr/bin/git -C kept -C .. push"],
  ])("F29 hide nothing from it: %s", async (command) => {
    await using haft = await open();
    expect([command, (await haft.call("Bash", { command })).error?.code]).toEqual([command, "denied_by_rule"]);
  });

  it.each(["git stash push", "git log --grep push", "git -C . log push", "git -h"])(
    "F29 and are not taken for it: %s",
    async (command) => {
      await using haft = await open();
      expect([command, (await haft.explain("Bash", { command })).decision]).toEqual([
        command,
        expect.not.objectContaining({ decision: "deny" }),
      ]);
    },
  );

  it("F29 a rule without a wildcard still means just that command", { tags: ["smoke"] }, async () => {
    writeFileSync(join(base, "settings.json"), JSON.stringify({ permissions: { deny: ["Bash(ls a.txt)"] } }));
    await using haft = await open();
    const decided = async (command: string) => JSON.stringify(await haft.explain("Bash", { command }));
    expect(await decided("ls a.txt")).toContain('"decision":"deny"');
    expect(await decided("ls -l a.txt")).not.toContain('"decision":"deny"');
  });
});

it("F12 a mistake at the end of a script never takes a deny away", async () => {
  await using haft = await open();
  const command = fc.constantFrom(
    "rm a.txt",
    "git push",
    "timeout 5 rm a.txt",
    "echo x > kept/a.txt",
    "cat closed/a.txt",
  );
  const around = fc.constantFrom("@", "true && @", "(@)", "{ @; }", "if true; then @; fi", "x=$(@)", "true | @", "@ &");
  const broken = fc.constantFrom(
    "\n((",
    "\nfi",
    "\n)",
    "\n'",
    '\n"',
    "\n$((",
    "\n${x",
    "\ncase",
    "\n;;",
    " &&",
    " |",
    " ;;",
  );
  await fc.assert(
    fc.asyncProperty(command, around, broken, async (what, how, end) => {
      const script = how.replace("@", what) + end;
      expect([script, JSON.stringify(await haft.explain("Bash", { command: script }))]).toEqual([
        script,
        expect.stringContaining('"outcome":"deny"'),
      ]);
    }),
    { numRuns: 150 },
  );
});
