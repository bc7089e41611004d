// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell

import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import { beforeAll, describe, expect, it } from "vitest";
import { createLineExplainer, type LineExplainer } from "./explain-line.ts";

let explainer: LineExplainer;
beforeAll(async () => {
  const host = createHost({ cwd: process.cwd() });
  explainer = createLineExplainer({ host, tools: await builtinTools(), root: process.cwd() });
});

interface Rules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}
async function decision(command: string, rules: Rules): Promise<string> {
  const line = { tool: "Bash", input: { command }, rules, cwd: "/w", projectRoot: "/w", home: "/home/u" };
  return ((await explainer.explain(JSON.stringify(line), 1)) as { decision: string }).decision;
}
const PUSH = { allow: ["Bash"], deny: ["Bash(git push *)", "Bash(rm *)"] };

describe("a changed shell makes the analysis only likely", () => {
  it.each([
    "IFS=,; x=git,push; $x",
    "IFS=,; x=push,origin; git $x",
    "readonly IFS=,; x=git,push; $x",
    ": ${IFS:=,}; x=git,push; $x",
    "for IFS in ,; do x=git,push; $x; done",
    "read -r IFS <<< ,; x=git,push; $x",
    "printf -v IFS ,; x=git,push; $x",
    "x=pull; eval 'x=push'; git $x",
    "x=pull; . ./f; git $x",
    "x=; . ./f; git $x",
    "x=; . ./f; $x ls",
    "x=pull; printf -v x push; git $x",
    "x=pull; coproc x { :; }; git $x",
  ])("F12 `%s` could be the denied git push", async (command) => {
    expect(await decision(command, PUSH)).toBe("ask");
  });

  it.each(["x=push; . ./f; git $x", "x=; . ./f; git $x push", "IFS=,; git push"])(
    "F12 `%s` is the denied git push as far as it shows",
    async (command) => expect(await decision(command, PUSH)).toBe("deny"),
  );

  it.each(["x=pull; . ./f; git log $x", ". ./f; git pull", "IFS=,; git pull 'a b'"])(
    "F12 `%s` could not",
    async (command) => expect(await decision(command, PUSH)).toBe("allow"),
  );

  it("F12 to allow a command allows no variable that decides what it does, nor words that are foreseen no more", async () => {
    const rules = { allow: ["Bash(npm test)", "Bash(git log *)", "Bash(source *)", "Bash(printf *)"] };
    const asked = [
      "PATH=./evil; npm test",
      "for PATH in ./evil; do npm test; done",
      ": ${PATH:=./evil}; npm test",
      "printf -v PATH ./evil; npm test",
      "source f; x=log; git $x",
    ];
    for (const command of asked) expect([command, await decision(command, rules)]).toEqual([command, "ask"]);
    for (const command of ["npm test", "x=1; npm test", "x=log; git $x", "source f; git log"])
      expect([command, await decision(command, rules)]).toEqual([command, "allow"]);
    const told = { allow: [...rules.allow, "Bash(PATH=./evil)"] };
    expect(await decision("PATH=./evil; npm test", told)).toBe("allow");
  });

  it("G07 printf -v sets what it prints, and nothing else is", async () => {
    expect(await decision("printf -v x '%03d' 5; echo \"$x\"", {})).toBe("allow");
    for (const command of ["printf -v 'a[$(id)]' x", "printf -v x '%9999999d' 5", "printf -v x '%n' y", "printf $X y"])
      expect([command, await decision(command, {})]).toEqual([command, "ask"]);
  });
});

describe("a command that starts a program under another name, or with options that nobody knows", () => {
  it.each([
    "git -c alias.p=push p",
    "git config --global alias.p 'push origin' && git p",
    "git config Alias.p push",
    "git --no-pager $X",
    "git -C sub $X",
    'git -C "$d" $X',
    "git -c x=$Y $Z",
    "git -c alias.p='-C x push' p",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x",
    "GIT_CONFIG_PARAMETERS=\"'alias.x=push'\" git x",
    "source <(cat f)",
    "bash <(cat f)",
    ". /dev/stdin <<< x",
    "printf 'git\\0push' | xargs -0 env",
    "env $X",
    "parallel git ::: push",
    "mapfile -C 'git push' -c1 x < f",
    "complete -C 'git push' x",
    "GIT_PAGER='rm x' git -p log",
    "EDITOR='rm x'; git commit",
    "export EDITOR='rm x'; git commit",
    "make SHELL=rm",
    "xargs --weird z rm",
    "/usr/bin/time --weird x rm y",
  ])("F12 `%s` may start what is denied", async (command) => expect(await decision(command, PUSH)).toBe("ask"));

  it.each(["sh -c 'time -o x rm y'", "command time -o x rm y", "time -o x rm y", "time git push"])(
    "F12 `%s` starts what is denied: time is a word of bash, and a program",
    async (command) => expect(await decision(command, PUSH)).toBe("deny"),
  );

  it("F12 a rule for time means the word of the shell, too, and an allowed command stays allowed behind it", async () => {
    expect(await decision("time npm test", { allow: ["Bash"], deny: ["Bash(time *)"] })).toBe("deny");
    expect(await decision("time npm test", { allow: ["Bash(npm test)"] })).toBe("allow");
    expect(await decision("time ls", {})).toBe("allow");
  });

  it.each([
    'git -C "$d" log',
    "git config user.name bob",
    "git config alias.l 'log --graph'",
    "make CC=tcc",
    "CI=1 npm test",
    "git -c alias.l='-C x log' l",
    "parallel git add ::: push",
    "source venv/bin/activate",
  ])("F12 `%s` starts nothing that is denied", async (command) => expect(await decision(command, PUSH)).toBe("allow"));
});

describe("the input of a command, and the content of an archive", () => {
  const rules = { allow: ["Bash"], deny: ["Read(secrets/**)", "Bash(git push *)"] };

  it.each([
    "xargs cat <<< secrets/k",
    "echo a.txt secrets/k | xargs cat",
    "printf '%s\\n' a.txt secrets/k | xargs -r cat",
    "echo k | xargs -I{} cat secrets/{}",
    "cat $(echo secrets/k)",
    "tar cf - secrets",
    "tar -C secrets -cf - k",
    "zip -r - secrets",
    "echo push | xargs git",
    "git $(echo push)",
  ])("F12 `%s` is denied by what it is given", async (command) => expect(await decision(command, rules)).toBe("deny"));

  it.each(["tar cf - .", "zip -r a.zip .", "cat a.txt | xargs git", "echo 'pu\\sh' | xargs git"])(
    "F12 `%s` may do what is denied, and is asked about",
    async (command) => expect(await decision(command, rules)).toBe("ask"),
  );

  it.each(["echo a.txt | xargs cat", "printf '%s\\n' a b | xargs -I{} wc -l {}", "xargs ls <<< 'a b'"])(
    "G07 `%s` only reads what it is given",
    async (command) => expect(await decision(command, {})).toBe("allow"),
  );

  it.each([
    "echo -e '-delete' | xargs find .",
    "echo -delete | xargs find .",
    "echo a -delete | xargs find",
    "echo a x | xargs -n1 sort -o",
    "echo '-o a' | xargs sort",
    "sh -c \"echo 'a\\nb' | xargs cat\"",
    "echo /etc/shadow | xargs cat",
    "echo shadow | xargs -I{} cat /etc/{}",
    'echo "$X" | xargs cat',
    "echo a | tee b | xargs cat",
    "printf '%d\\n' a | xargs cat /etc/x",
    "xargs rm <<< a",
  ])("G07 `%s` is asked about", async (command) => expect(await decision(command, {})).toBe("ask"));
});

it.each([
  "seq 1 3 | while read i; do echo $((i*i)); done",
  "env -u MY_TOKEN ls",
  "env --unset=foo -u BAR head a",
  "git help -a",
])("G07 `%s` only reads", async (command) => expect(await decision(command, {})).toBe("allow"));

it.each([
  "seq -3 3 | while read -d 1 i; do echo $((i*i)); done",
  "seq 1 3 | while read -n1 i; do echo $((i*i)); done",
  "seq -s, 1 3 | while read i; do echo $((i*i)); done",
  "seq 1 3 | while read i; do i=$X; echo $((i*i)); done",
  "seq 1 3 | while IFS=- read i; do echo $((i*i)); done",
  "seq 1 3 | while read i < f; do echo $((i*i)); done",
  ...["PATH", "HOME", "GIT_PAGER", "RIPGREP_CONFIG_PATH", "CHECKPOINT_DISABLE", "LC_ALL", "X=y", "$X"].map(
    (name) => `env -u ${name} ls`,
  ),
  "env -u X rm a",
  "env -i ls",
  "git help log",
  "git help -w -a",
])("G07 `%s` is asked about, too", async (command) => expect(await decision(command, {})).toBe("ask"));
