import { isPrivatePath } from "@haft/core/policy";
import { describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";
import { deeplyRead } from "./reader/output-files/deep.ts";

const place = { cwd: "/w", home: "/home/u" };
const named = (command: string): string[] =>
  analyseShell(command, place).effects.flatMap((effect) =>
    effect.do === "read" && isPrivatePath(effect.path) ? [effect.path] : [],
  );

describe("hidden files that ripgrep is made to look into", () => {
  it.each([
    "-g '*'",
    "-g '.*'",
    "-g'.*'",
    "-ing 'src/**'",
    "--glob='{.env,a}'",
    "-t sh",
    "-tsh",
    "--type=all",
    "--hidden",
  ])("G17 rg %s shows what is in them", (option) =>
    expect(deeplyRead(analyseShell(`rg ${option} x`, place).effects)).toEqual(["/w"]),
  );
  it("G17 type-add makes a type of any file", () => {
    expect(deeplyRead(analyseShell("rg --type-add 'a:.env' -ta x", place).effects)).toEqual(["/w"]);
  });
  it.each(["", "-g '*.ts'", "-g '*.{ts,tsx}'", "-g '!.env'", "-tts", "-g '**/*.md'"])(
    "G17 rg %s passes them by",
    (option) => expect(deeplyRead(analyseShell(`rg ${option} x`, place).effects)).toEqual([]),
  );
});

describe("private files that a command means without naming them", () => {
  it.each([
    ["cat .env*", "/w/.env"],
    ["cat .e*", "/w/.env"],
    ["cat ./conf/.env.*", "/w/conf/.env.local"],
    ["cat */.env", "/w/*/.env"],
    ["grep TOKEN .env*", "/w/.env"],
    ['for f in .e*; do cat "$f"; done', "/w/.env"],
    ['f=(.env); cat "${f[@]}"', "/w/.env"],
    ["cat **/*.key", "/w/**/k.key"],
    ["cat id_*", "/w/id_rsa"],
    ["find . -name .env -exec cat {} \\;", "/w/**/.env"],
    ["find . -name '*env' | xargs cat", "/w/**/.env"],
    ["cat $(find . -name '.e*')", "/w/**/.env"],
    ["ls -A | grep env | xargs cat", "/w/**/.env"],
    ["cat `ls -A | grep '^.env$'`", "/w/**/.env"],
    ["grep -r TOKEN --include='.env*' .", "/w/.env"],
    ["rg --hidden TOKEN -g '*.env'", "/w/.env"],
    ["cat .en[^x]", "/w/.env"],
    ["cat .en[[:alpha:]]", "/w/.env"],
    ["cat .env.st*", "/w/.env.st"],
    ["cat server*.pem", "/w/server.pem"],
    ["cat conf/prod.k??", "/w/conf/prod.key"],
    ["cat *.jks", "/w/k.jks"],
    ["cat id_ec*", "/w/id_ecdsa"],
  ])("G17 %s reads %s by name", (command, path) => {
    expect(named(command)).toContain(path);
  });

  it.each([
    ["git diff .env", "/w/.env"],
    ["git diff HEAD~1 -- ':(glob)**/.env'", "/w/**/.env"],
    ["git show HEAD:.env", "/w/.env"],
    ["git show :0:conf/.env.local", "/w/conf/.env.local"],
    ["git cat-file -p HEAD:.env", "/w/.env"],
    ["git log -p -- .env", "/w/.env"],
    ["git blame .env", "/w/.env"],
    ["git grep --untracked TOKEN -- '*.env'", "/w/.env"],
    ["git -C sub diff .env", "/w/sub/.env"],
    ["git log -L1,5:.env", "/w/.env"],
    ["git log -L:section:conf/.env", "/w/conf/.env"],
    ["git reflog -p -- .env", "/w/.env"],
    ["git stash list -p -- .env", "/w/.env"],
    ["git log --word-diff-regex=. -- .env", "/w/.env"],
    ["git log --check -- .env", "/w/.env"],
  ])("G17 %s reads %s by name: former versions are private, too", (command, path) => {
    expect(named(command)).toContain(path);
  });

  it.each([
    ...["cat *", "cat src/*.ts", "grep -rn TODO .", "find . -name '*.ts' | xargs cat", "git diff", "git status"],
    ...["find . -type f -not -name '.env*' | xargs grep x", "find . -name .env -prune -o -type f -print | xargs cat"],
    ...[
      "rg x -g '!.env'",
      "ls -a | grep -v env | xargs cat",
      "git ls-files | grep test | xargs cat",
      "cat .env.example",
    ],
    ...[
      "git log --oneline -- .env",
      "git check-ignore .env",
      "git diff -- ':!.env'",
      "cat ca.pem server.crt",
      "cat **/*.md",
    ],
  ])("G17 %s means no private file", (command) => {
    expect(named(command)).toEqual([]);
  });
});
