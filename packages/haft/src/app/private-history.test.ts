// Git shows what is private from its store, where nothing can be left out: a person is asked where the repository tracks such a file.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { Haft } from "./haft.ts";

let base: string;
let cwd: string;
let haft: Haft;
const git = (...args: string[]) =>
  execFileSync("git", ["-C", cwd, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "pipe" });
const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
const open = () =>
  createHaft({ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false });
const decide = async (command: string) => (await haft.explain("Bash", { command })).decision?.decision;

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-history-")));
  cwd = join(base, "work");
  mkdirSync(cwd);
  git("init", "-q");
  for (const path of ["src/a.ts", "README.md", "conf/.env.example"]) put(path, "TOKEN=x\n");
  git("add", "-f", ".");
  git("commit", "-qm", "one");
  haft = await open();
});
afterAll(async () => {
  await haft[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

const SHOWING = [
  "git show HEAD",
  "git show",
  "git log -p",
  "git log -S TOKEN -p",
  "git log -G TOKEN",
  "git log --patch -- .",
  "git grep TOKEN",
  "git grep -n TOKEN HEAD",
  "git diff HEAD~1",
  "git diff",
  "git diff --cached",
  "git stash show -p",
  "git diff-tree -p HEAD",
  "git cat-file -p 1234abcd",
  "git blame src/a.ts -C -C",
  "git log -p --follow -- src/a.ts",
  "git log -p --full-diff -- src",
  "git log -p -- ':!src'",
  "git log -p show HEAD:src/a.ts",
  "git log -p grep",
  "git log -p -- '*.ts' 'conf'",
  "git show HEAD | head",
  "cd src && git log -p",
  "git -C src show HEAD",
];
const TELLING = [
  "git status",
  "git log --oneline",
  "git log --stat",
  "git diff --stat",
  "git ls-files",
  "git show --stat HEAD",
];
const ELSEWHERE = [
  "git log -p -- src",
  "git show HEAD:src/a.ts",
  "git diff HEAD -- src/a.ts README.md",
  "git grep x -- src",
];

describe("a repository that tracks", () => {
  it.each([...SHOWING, ...TELLING, ...ELSEWHERE])("F17 nothing private lets %s run unasked", async (command) => {
    if (!command.includes("-C -C")) expect(await decide(command)).toBe("allow");
  });

  describe("a private file", () => {
    beforeAll(() => {
      put("conf/.env", "TOKEN=secret\n");
      git("add", "-f", "conf/.env");
    });

    it.each(SHOWING)("F17 has %s asked about", async (command) => expect(await decide(command)).toBe("ask"));
    it.each([...TELLING, ...ELSEWHERE])("F17 lets %s run, which shows none of it", async (command) => {
      expect(await decide(command)).toBe("allow");
    });

    it("F17 names it in the question, and an allow for the command or the file answers that", async () => {
      const { effects, decision } = await haft.explain("Bash", { command: "git show HEAD" });
      expect(effects).toContainEqual(expect.objectContaining({ do: "read", path: join(cwd, "conf/.env") }));
      expect(decision?.reason).toContain(".env");
      for (const rule of ["Bash(git show *)", "Read(conf/.env)"]) {
        await using other = await createHaft({
          ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false },
          rules: { allow: [rule] },
        });
        expect([rule, (await other.explain("Bash", { command: "git show HEAD" })).decision?.decision]).toEqual([
          rule,
          "allow",
        ]);
      }
    });
  });

  it("F17 is named where its content would go into the store, also where commands find it masked", async () => {
    put(".env", "TOKEN=secret\n");
    git("add", "-f", ".env");
    const reads = async (command: string) =>
      (await haft.explain("Bash", { command })).effects.some(
        (one) => one.do === "read" && one.path === join(cwd, ".env"),
      );
    for (const command of [
      "git add -A",
      "git add .",
      "git commit -am x",
      "git commit -m x -- .env",
      "git stash",
      "git -C src add -u",
    ])
      expect([command, await reads(command)]).toEqual([command, true]);
    for (const command of [
      "git add src/a.ts",
      "git commit -m x",
      "git stash pop",
      "git commit -m x -- src",
      "git push",
    ])
      expect([command, await reads(command)]).toEqual([command, false]);
    git("rm", "-q", "--cached", ".env");
  });

  it("F17 a path that a rule closes elsewhere in the repository is asked about from a folder below, too", async () => {
    await using other = await createHaft({
      ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false },
      rules: { deny: ["Read(/vault/**)"] },
    });
    const said = async (command: string) => (await other.explain("Bash", { command })).decision?.decision;
    for (const command of [
      "git log -p",
      "cd src && git log -p",
      "git -C src show HEAD",
      "cd src && git diff",
      "cd src && git log -p grep",
    ])
      expect([command, await said(command)]).toEqual([command, "ask"]);
    for (const command of ["cd src && git log -p -- a.ts", "cd src && git grep x", "cd src && git log --stat"])
      expect([command, await said(command)]).toEqual([command, "allow"]);
  });

  it("F17 law: a command that shows the store asks, for any name and place of the private file", async () => {
    const name = fc.constantFrom(
      ".env",
      ".env.local",
      "id_rsa",
      "a.key",
      "server.pem",
      ".npmrc.env/.env",
      ".ssh/config",
      "ü.p12",
    );
    const folder = fc.constantFrom("", "a/", "a b/c/", "src/", "-x/");
    await fc.assert(
      fc.asyncProperty(folder, name, fc.constantFrom(2, 3, 4), async (place, file, version) => {
        git("rm", "-q", "-r", "--cached", ".");
        put(place + file, "x\n");
        put("plain.txt", "x\n");
        git("add", "-f", "--", place + file, "plain.txt");
        git("update-index", "--index-version", String(version));
        expect(await decide("git log -p")).toBe("ask");
        git("rm", "-q", "--cached", "--", place + file);
        expect(await decide("git log -p")).toBe("allow");
      }),
      { numRuns: 25 },
    );
  });
});
