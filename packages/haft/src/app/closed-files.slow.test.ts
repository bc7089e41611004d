// Commands that read a tree do not see the files in it that deny and ask rules cover: no question, and no content.
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seenPlace } from "../../test/support/seen-place.ts";
import { createHaft } from "./create-haft.ts";

const SECRET = "kept-value";
const RULES = { deny: ["Read(settings.ini)", "Read(vault/**)"], ask: ["Read(**/*.crt)"] };
const CLOSED = ["settings.ini", "sub/settings.ini", "vault/a.txt", "sub/vault/deep/b.txt", "sub/host.crt"];
const PACKED = ["node_modules/lib/test/host.crt", "node_modules/lib/settings.ini"];

let base: string;
let cwd: string;
const put = (path: string, text: string): void => {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
beforeEach(() => {
  base = seenPlace("closed");
  cwd = join(base, "home/work");
  for (const folder of [".haft", "sub", "links"]) mkdirSync(join(cwd, folder), { recursive: true });
  for (const path of [...CLOSED, ...PACKED]) put(path, `TOKEN=${SECRET}\n`);
  for (const path of ["a.txt", "sub/b.txt", "node_modules/lib/index.js"]) put(path, "TOKEN=ordinary\n");
  // Another name of a closed file, a closed name of another file, a closed name behind the name of a folder.
  linkSync(join(cwd, "settings.ini"), join(cwd, "twin.txt"));
  symlinkSync("../vault/a.txt", join(cwd, "links/away.txt"));
  put("plain/real.txt", `TOKEN=${SECRET}\n`);
  mkdirSync(join(cwd, "conf"));
  symlinkSync("../plain/real.txt", join(cwd, "conf/settings.ini"));
  mkdirSync(join(cwd, "aside"));
  symlinkSync("../sub", join(cwd, "aside/sub"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function call(tier: string, command: string, rules: object = RULES): Promise<Result> {
  const settings = join(base, "settings.json");
  writeFileSync(settings, JSON.stringify({ sandbox: { tier }, permissions: rules }));
  await using haft = await createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings },
  });
  return await haft.call("Bash", { command });
}

const READERS = [
  "grep -r TOKEN .",
  "rg --hidden -uu TOKEN",
  "tar cf - .",
  "git grep --no-index TOKEN",
  "cat *",
  "cat */* */*/*",
  "find . -type f -exec cat {} +",
  "find . | xargs cat",
  "find -L . -name '*.ini' -exec cat {} \\;",
  ...[
    "grep -R TOKEN .",
    "grep -R TOKEN links",
    "grep -RA1 --include='*.ini' TOKEN conf",
    "rg -L TOKEN links conf",
    "grep -R TOKEN aside",
    "find -L aside -type f -exec cat {} +",
    "fd -L . links -X cat",
    "cat links/*",
  ],
  "cat $(find . -type f)",
  'for f in *; do sed -n 1p "$f"; done',
  "head conf/* links/* twin.txt",
  "diff -r . sub",
  "awk 1 sub/*",
  "cat node_modules/lib/* node_modules/lib/test/*",
];

const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("confined readers", () => {
  it.each([
    "cat vaul*/a.txt",
    "cd sub && cat ../v*/a.txt",
    "head -1 [v]a?lt/*",
    "cat sub/hos*.crt",
    "cat vaul*/no.txt",
  ])("G17 F29 %s, which hits nothing but what a rule closes, is told to name it", async (command) => {
    const { error } = await call("readers", command);
    expect(`${error?.hint}`).toMatch(/A deny or ask rule hides .*(?:vault|host\.crt)[ ,].*name (?:the file|it)/);
  });

  it("G17 F29 a wildcard without a match gets no message about a rule", { tags: ["smoke"] }, async () => {
    for (const command of ["cat nos*/a.txt", "cat vault.*"])
      expect(`${(await call("readers", command)).error?.hint}`).not.toContain("rule");
  });

  it.each(READERS)("G17 F29 %s shows no file that a rule closes", async (command) => {
    const said = JSON.stringify(await call("readers", command));
    expect(said).not.toContain(SECRET);
  });

  it.each([
    ...["grep -r TOKEN .", "cat *", "find . -name '*.txt' | xargs cat", "ls -R", "head sub/*.txt", "find . -type f"],
    ...["git ls-files -o", "wc -l sub/*.txt", "awk 1 sub/b.txt sub/*"],
    ...["grep -R TOKEN .", "grep -RA1 TOKEN sub", "find -L . -name '*.txt' | xargs cat", "ls -LR", "du -aL"],
  ])("G01 F29 %s is not asked about and shows the rest", async (command) => {
    execFileSync("git", ["init", "-q"], { cwd, stdio: "pipe" });
    const settings = join(base, "settings.json");
    writeFileSync(settings, JSON.stringify({ permissions: RULES }));
    let asked = 0;
    const ask = async () => {
      asked++;
      return { behavior: "deny" } as const;
    };
    await using haft = await createHaft({
      ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings, ask },
    });
    const { output } = await haft.call("Bash", { command });
    expect([command, asked]).toEqual([command, 0]);
    expect((output as { stdout: string }).stdout).toMatch(/ordinary|b\.txt/);
  });

  it("F29 without a rule the same files are read", async () => {
    for (const command of ["grep -r TOKEN .", "cat *", "find . | xargs cat"])
      expect(JSON.stringify(await call("readers", command, {}))).toContain(SECRET);
  });
});

describe("unconfined readers", () => {
  it.each(READERS)("G17 F29 %s shows no file that a rule closes", async (command) => {
    const result = await call("none", command);
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it.each(["cat *.md", "ls -R", "find . -name '*.crt'", "grep -rn --include='*.md' TOKEN ."])(
    "G01 F29 %s runs, since it opens nothing that a rule closes",
    async (command) => {
      put("c.md", "TOKEN=ordinary\n");
      const { error, output } = await call("none", command);
      expect([command, error, (output as { exitCode: number }).exitCode]).toEqual([command, undefined, 0]);
    },
  );

  it.each([
    "find . -not \\( -name '*.md' \\) -type f | xargs cat",
    "find . -type f -print -not -name '*.ini' -not -name '*.crt' | xargs cat",
    "find . -name '*.md' -print -o -print | xargs cat",
    "grep -r --exclude='*.md' --include='*.js' TOKEN .",
    "rg -g '!*.ini' -g '*' -uu TOKEN",
    "find . -name '*.txt' | sed 's/a.txt/settings.ini/' | xargs cat",
    "find . -name '*.md' -exec cat {}/../settings.ini ';'",
    "rg -uu --type-add 'x:*.ini' -tx TOKEN",
  ])("G17 F29 %s is not taken to open less than it does", async (command) => {
    put("c.md", "TOKEN=ordinary\n");
    expect(JSON.stringify(await call("none", command))).not.toContain(SECRET);
  });

  it("F29 G17 a job that goes on by itself is not started", async () => {
    const settings = join(base, "settings.json");
    writeFileSync(settings, JSON.stringify({ sandbox: { tier: "none" }, permissions: RULES }));
    await using haft = await createHaft({
      ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings },
    });
    const result = await haft.call("Bash", { command: "grep -r TOKEN .", wait_ms: 3000 });
    expect(result.error?.code).toBe("sandbox_denied");
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
});

describe("git", () => {
  beforeEach(() => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], { cwd, stdio: "pipe" });
    git("init", "-q");
    git("add", "settings.ini", "a.txt");
    git("commit", "-qm", "first");
    put("settings.ini", "changed\n");
  });

  it.each([
    ...["git diff", "git log -p", "git show HEAD", "git grep TOKEN", "git diff HEAD --stat -p", "git stash list -p"],
    ...["git log --oneline -S kept", "git log --oneline -G '^TOKEN=k'", "git diff --quiet -Gkept HEAD"],
    ...["git reflog -G kept", "git show --name-only -Skept", "git diff-tree --name-only -S kept HEAD"],
    ...["git for-each-ref --format='%(raw)'", "git tag --list --format='%(*raw)'", "git show --stat --tags"],
    ...["git show --name-only --all", "git branch --list --format='%(raw:size) %(raw)'"],
    ...["git show --stat HEAD:settings.ini", "git cat-file -p HEAD:settings.ini", "git status -v", "git diff --cached"],
  ])("F29 %s is asked about: former versions lie where nothing can be kept back", async (command) => {
    const { error } = await call("readers", command);
    expect([command, error?.code]).toEqual([command, expect.stringMatching(/needs_approval|denied_by_rule/)]);
  });

  it.each([
    "git log --oneline",
    "git diff --stat",
    "git ls-files",
    "git branch -a",
    "git show --stat",
    "git log --stat",
    "git log --all --stat",
    "git for-each-ref --format='%(refname) %(subject)'",
    "git branch --format='%(refname)'",
  ])("G02 F29 %s tells no content, and is not asked about", async (command) => {
    const result = await call("readers", command);
    expect([command, result.error]).toEqual([command, undefined]);
    expect(contentsText(result.content)).not.toContain(SECRET);
  });
});
