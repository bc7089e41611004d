import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
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

const SECTIONS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "[core]\n\tfsmonitor = PROGRAM",
  "core.pager": "[core]\n\tpager = PROGRAM",
  "pager.log": "[pager]\n\tlog = PROGRAM",
  "diff.external": "[diff]\n\texternal = PROGRAM",
  "diff.x.textconv": '[diff "x"]\n\ttextconv = "PROGRAM"',
  "diff.x.command": '[diff "x"] command=PROGRAM ; comment',
  "filter.x.clean": '[filter "x"]\n\tclean = PROGRAM',
  "filter.x.process": '[filter "x"]\n\tprocess = PROGRAM',
  "gpg.program": "[gpg]\n\tprogram = PROGRAM",
  "merge.x.driver": '[merge "x"]\n\tdriver = PROGRAM',
  "core.alternateRefsCommand": "[core]\n\talternateRefsCommand = PROGRAM",
};

it("G02 law: a program that a configuration has git start is an effect of its own, beside the git command", async () => {
  const commands = [
    "git status",
    "git diff",
    "git log -p",
    "git show HEAD",
    "git add -A",
    "git commit -m x",
    "git -C . stash",
  ];
  const config = readFileSync(join(cwd, ".git/config"), "utf8");
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(SECTIONS)),
      fc.constantFrom(...commands),
      fc.constantFrom("touch evil", "./evil", "sh -c 'rm x'", "cat; rm x", "evil %f > out"),
      async (key, command, program) => {
        writeFileSync(
          join(cwd, ".git/config"),
          `${config}${SECTIONS[key]!.replace("PROGRAM", quoted(program, key))}\n`,
        );
        const effects = await bash.effects({ command }, { ...world.effectContext, cwd });
        const started = effects.filter((one) => one.do === "run" && one.opaque && !one.text.startsWith("git"));
        expect([key, command, program, started.length > 0]).toEqual([key, command, program, true]);
      },
    ),
    { numRuns: 120 },
  );
});

/** A value as git itself would write it where it has a `;` or stands between quotes. */
const quoted = (program: string, key: string): string =>
  key === "diff.x.textconv" ? program : /;/.test(program) ? `"${program}"` : program;

it.each([
  ["[include]\n\tpath = ../more", "git status"],
  ['[includeIf "gitdir:/"]\n\tpath = ../more', "git add -A"],
  ["%% nonsense", "git diff"],
  ["[alias]\n\tstatus = !evil", "git status"],
  ["[alias]\n\tgo = !evil", "git go"],
  ["[core]\n\tsshCommand = evil", "git fetch"],
  ["[credential]\n\thelper = !evil", "git push"],
])("G02 %j leaves no `%s` that an allow for git would cover", async (section, command) => {
  appendFileSync(join(cwd, ".git/config"), `${section}\n`);
  const effects = await bash.effects({ command }, { ...world.effectContext, cwd });
  expect(effects.some((one) => one.do === "unknown" || (one.do === "run" && one.argv[0] !== "git"))).toBe(true);
});

it("G02 a configuration that only switches something on or off starts nothing", async () => {
  appendFileSync(join(cwd, ".git/config"), "[pager]\n\tbranch = false\n[core]\n\tsshCommand = ssh -i key\n");
  const effects = await bash.effects({ command: "git status" }, { ...world.effectContext, cwd });
  expect(effects.filter((one) => one.do === "run").map(({ text }) => text)).toEqual(["git status"]);
});
