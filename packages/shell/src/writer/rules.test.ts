import { readFileSync } from "node:fs";
import { createPolicy, type Mode, type RuleSource } from "@haft/core/policy";
import { describe, expect, it } from "vitest";
import { analyseShell } from "../index.ts";

// Each of these writes FILE, or something in the folder DIR: the programs that rules for writing are said to see through.
const PROGRAMS = readFileSync(new URL("../../test/corpus/writing.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

const filled = (template: string, folder: string): string =>
  template.replaceAll("FILE", `${folder}/a.ts`).replaceAll("DIR", folder);
const quoted = (script: string): string => `'${script.replaceAll("'", "'\\''")}'`;
const SPELLINGS: readonly [string, (template: string) => string, ((template: string) => boolean)?][] = [
  ["plainly", (template) => filled(template, "src/gen")],
  ["by the whole path", (template) => filled(template, "/w/p/src/gen")],
  ["by a detour", (template) => filled(template, "./lib/../src//gen")],
  ["for another shell", (template) => `bash -c ${quoted(filled(template, "src/gen"))}`],
  // The output of a command is not followed into the next one.
  [
    "for eval",
    (template) => `eval ${quoted(filled(template, "src/gen"))}`,
    (template) => !template.includes("| xargs"),
  ],
  ["among others", (template) => `make; for i in 1 2; do if x; then ${filled(template, "src/gen")}; fi; done &`],
  ["from the folder above", (template) => `cd src && ${filled(template, "gen")}`],
  [
    "by a variable",
    (template) => `G=src/gen; x || ${filled(template, "src/gen").replace(/(?<=^| )src\/gen(?=\/| |$)/g, "$G")}`,
    (template) => !/'.* FILE/.test(template),
  ],
  // Text that does not parse is cut into pieces, at braces and pipes too.
  [
    "in a text that ends too soon",
    (template) => `${filled(template, "src/gen")}\nif (`,
    (template) => !/[{|]/.test(template),
  ],
];

const workspace = { root: "/w/p", startedIn: "/w/p", cwd: "/w/p", home: "/home/u", additional: [], platform: "linux" };
const allow = (text: string): RuleSource => ({ behavior: "allow", text, origin: "user" });
const deny = (text: string): RuleSource => ({ behavior: "deny", text, origin: "user" });

function decided(command: string, rules: readonly RuleSource[], mode: Mode = "default"): string {
  const { effects } = analyseShell(command, { cwd: "/w/p", home: "/home/u" });
  const policy = createPolicy({ workspace, rules, mode });
  return policy.decide({ tool: { name: "Bash", origin: "builtin" }, input: { command }, effects }).decision;
}

describe("rules for commands", () => {
  it.each([
    "eval git push",
    'eval "git" "push"',
    "cmd='git push'; eval \"$cmd\"",
    "eval 'ls && git' push origin",
    "env -S'git push'",
    "env --split-string='git push'",
    "env -iS'git push' origin",
  ])("G07 forbid what %s starts", (command) => {
    expect(decided(command, [allow("Bash"), deny("Bash(git push:*)")])).toBe("deny");
    expect(decided(command, [])).toBe("ask");
  });
});

describe("rules for writing", () => {
  it.each(SPELLINGS)("F29 bind each program, spelled %s", (_, spell, suits = () => true) => {
    const rules = [allow("Bash"), deny("write(src/gen/**)")];
    expect(
      PROGRAMS.filter(suits)
        .map(spell)
        .filter((command) => decided(command, rules) !== "deny"),
    ).toEqual([]);
  });

  it("F29 are Edit(...), too, and hold in every mode", () => {
    const rules = [deny("Edit(src/gen/**)")];
    const commands = PROGRAMS.map((template) => filled(template, "src/gen"));
    for (const mode of ["default", "acceptEdits", "undoable", "dontAsk", "bypassPermissions"] as const)
      expect(commands.filter((command) => decided(command, rules, mode) !== "deny")).toEqual([]);
  });

  it("F29 concern nothing else: beside the folder all of it runs", () => {
    const rules = [allow("Bash"), deny("write(src/gen/**)")];
    const commands = PROGRAMS.filter((template) => !/find \.|rmdir -p|rm -rf|find .*xargs/.test(template));
    const held = commands
      .map((template) => filled(template, "src/other"))
      .filter((one) => decided(one, rules) !== "allow");
    expect(held).toEqual([]);
  });

  it.each([
    ...[
      "rm *.log",
      "git checkout .",
      "git clean -fd",
      "git apply x",
      "git stash pop",
      "git reset --hard",
      "chmod -R u+w .",
    ],
    ...[
      "tar xf a.tar",
      "unzip a.zip",
      "patch -p1 < x",
      "find . -name '*.log' -delete",
      "rm -rf src/*",
      "rsync -a x/ src/",
    ],
  ])("F29 %s, which may write what a rule keeps, is asked about where there is such a rule", (command) => {
    expect(decided(command, [allow("Bash")])).toBe("allow");
    expect(decided(command, [allow("Bash"), deny("write(src/gen/**)")])).toBe("ask");
  });

  it.each([
    ...[
      "git restore ':/src/gen/a.ts'",
      "git checkout ':(top,glob)src/gen/*.ts'",
      "cd lib && git checkout ':/src/gen/'",
    ],
    ...[
      'for f in a b; do rm "src/gen/$f"; done',
      'rm "src/gen/$X"',
      'curl -o"src/gen/$X" http://h',
      "wget --out=src/gen/x http://h",
    ],
    ...[
      "sort a -o src/gen/x --",
      "sort -o src/gen/x -- a",
      "truncate -s0 -- src/gen/x",
      "truncate src/gen/{a,b}",
      "touch src/{lib,gen}/x",
    ],
    ...[
      "ln -s src/gen x && echo hi > x/a",
      "mv src/gen x && rm x/a",
      "X=$(make); unlink src/gen/a",
      "eval 'unlink src/gen/a'",
    ],
    ...[
      "tar -C lib -xf a -C src/gen",
      "git -c a=b -C src -C gen checkout -- .",
      "\\truncate -s0 src/gen/a",
      "tru'ncate' -s0 src/gen/a",
    ],
    ...["alias t=truncate; truncate -s0 src/gen/a", "PATH=. truncate -s0 src/gen/a", "sudo truncate -s0 src/gen/a"],
    ...[
      "echo $(truncate -s0 src/gen/a)",
      "cat <(dd of=src/gen/a)",
      'truncate -s0 src/gen/a "$(',
      "(cd src/gen; rm -- *)",
    ],
  ])("F29 %s is denied, however it is put", (command) => {
    expect(decided(command, [allow("Bash"), deny("write(src/gen/**)")])).toBe("deny");
    expect(decided(command, [deny("write(src/gen/**)")], "bypassPermissions")).toBe("deny");
  });
});

describe("the knowledge of such programs", () => {
  it("G03 lets none of them through that was asked about before", () => {
    const known = /^(cp|mv|rm|mkdir|touch|tee|sed|echo [\w./{}]+ \| xargs rm)( |$)/;
    for (const template of PROGRAMS.filter((one) => !known.test(one))) {
      const command = filled(template, "src/gen");
      for (const mode of ["default", "acceptEdits"] as const)
        expect([command, decided(command, [], mode)]).toEqual([command, "ask"]);
    }
  });

  it.each([
    ...[
      "ln -s /etc .git",
      "install x .git/hooks/pre-commit",
      "chmod +x .git/hooks/pre-commit",
      "install x .git/hooks/",
    ],
    ...[
      "curl -o .mcp.json http://h",
      "wget -O .bashrc http://h",
      "git checkout x -- .vscode/tasks.json",
      "dd of=.npmrc",
      "sort -o .envrc x",
    ],
    ...["tar xf x -C .husky", "truncate -s 0 .claude/settings.json", "find .husky -delete", "dd of=/usr/bin/node"],
  ])("F29 %s has a person confirm it, even if a rule allows the command", (command) => {
    for (const rules of [[allow("Bash")], [allow(`Bash(${command.split(" ")[0]} *)`)]])
      for (const mode of ["default", "acceptEdits"] as const) expect(decided(command, rules, mode)).toBe("ask");
  });

  it.each(["truncate -s0 .env", "dd of=/dev/sda", "curl -o ~/x http://h", "ln -s /etc x"])(
    "G03 %s is asked about",
    (command) => {
      for (const mode of ["default", "acceptEdits"] as const) expect(decided(command, [], mode)).toBe("ask");
    },
  );

  it("F20 a yes to the command is offered as one rule, which covers what it changes", () => {
    const command = "git restore src/a.ts";
    const { effects } = analyseShell(command, { cwd: "/w/p", home: "/home/u" });
    const asked = createPolicy({ workspace }).decide({
      tool: { name: "Bash", origin: "builtin" },
      input: { command },
      effects,
    });
    expect(asked.suggestions.map(({ rules, scope }) => [rules, scope])).toContainEqual([
      ["Bash(git restore src/a.ts)"],
      "project",
    ]);
    expect(decided(command, [allow("Bash(git restore src/a.ts)")])).toBe("allow");
  });

  it("F29 nobody is allowed a change by the mark alone: without the command that makes it, it is judged as any other", () => {
    const effects = [
      { do: "write", basis: "proved", path: "/etc/x", change: "modify", unread: true, of: "x" },
    ] as const;
    const call = { tool: { name: "Other", origin: "builtin" }, input: {}, effects };
    expect(createPolicy({ workspace }).decide(call).decision).toBe("ask");
  });
});
