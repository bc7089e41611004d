import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Situation, Workspace } from "../policy/index.ts";
import { type Effect, read, run, unknown, write } from "../tool/index.ts";
import { compileCondition, preparePermissionMatcher } from "./index.ts";

const workspace: Workspace = {
  root: "/w",
  startedIn: "/w/app",
  cwd: "/w/app",
  home: "/home/u",
  additional: [],
  platform: "linux",
};

const call = (effects: readonly Effect[], name = "Bash", input: object = {}): Situation => ({
  tool: { name, origin: "builtin" },
  input,
  effects,
});
const command = (...argv: string[]) => run({ argv, text: argv.join(" "), cwd: "/w/app" });

function meant(rule: string, situation: Situation): boolean {
  const compiled = compileCondition(rule, workspace);
  if ("problem" in compiled) throw new Error(compiled.problem.message);
  return compiled.condition(situation);
}

describe("the condition of a hook", () => {
  it("A21 looks at a call once and answers for any number of rules", () => {
    const matches = preparePermissionMatcher(call([command("cd", "x"), command("git", "push", "-f")]), workspace);
    const answers = ["Bash(git *)", "Bash(git push *)", "Bash(npm *)", "Bash", "Read", "run(git *)", "Bash(*)"];
    expect(answers.map(matches)).toEqual([true, true, false, true, false, true, true]);
  });

  it("A21 a rule that cannot be read, and a command that cannot, count as meant: the hook runs", () => {
    const matches = preparePermissionMatcher(call([command("ls")]), workspace);
    expect(["", "Bash(", "Bash()", "write", "Bash(a && b)"].map(matches)).toEqual(Array(5).fill(true));
    const unread = preparePermissionMatcher(call([unknown("eval")]), workspace);
    expect(["Bash(git *)", "Edit(src/**)", "Read", "Agent(model:opus)"].map(unread)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("E23 a word that could become the pattern in the run matches it, and so does a closed file for a program", () => {
    expect(meant("Bash(git push *)", call([command("git", "$X")]))).toBe(true);
    expect(meant("Bash(git push *)", call([command("sh", "-c", '"$X"')]))).toBe(true);
    expect(meant("Bash(git push *)", call([command("git", "log", "$X")]))).toBe(false);
    expect(meant("Read(.env)", call([command("source", ".env")]))).toBe(true);
    expect(meant("Read(.env)", call([command("source", "env")]))).toBe(false);
  });

  it("E23 a single folder is the one in the current folder; every other shape means what it does in ask rules", () => {
    const at = (path: string) => call([write(path)], "Edit");
    expect(meant("Edit(src/**)", at("/w/app/src/a.ts"))).toBe(true);
    expect(meant("Edit(src/**)", at("/w/app/lib/src/a.ts"))).toBe(false);
    expect(meant("Edit(*.ts)", at("/w/app/lib/src/a.ts"))).toBe(true);
    expect(meant("Edit(*.ts)", at("/w/other.ts"))).toBe(false);
    expect(meant("Edit(/docs/**)", at("/w/docs/a.md"))).toBe(true);
    expect(meant("Edit(a*)", at("/w/app/ab/c"))).toBe(true);
    expect(meant("Read(src/**)", at("/w/app/src/a.ts"))).toBe(false);
    expect(meant("Read(.env)", call([read("/w/app/x/.env")], "Read"))).toBe(true);
  });

  it("E23 part of a tree, a link's other name, a parameter and an alias are enough", () => {
    expect(meant("Edit(src/**)", call([write("/w/app", "modify", { tree: true })]))).toBe(true);
    expect(meant("Edit(src/**)", call([{ ...write("/elsewhere"), as: "/w/app/src/link" }], "Edit"))).toBe(true);
    expect(meant("Bash(run_in_background:true)", call([], "Bash", { run_in_background: true }))).toBe(true);
    expect(meant("Bash(run_in_background:true)", call([], "Bash", {}))).toBe(false);
    expect(meant("Task", call([], "Agent"))).toBe(true);
  });

  it("A21 an effect more never makes a hook miss a call", () => {
    const word = fc.constantFrom("git", "ls", "npm", "push", "-f", "x");
    const effect: fc.Arbitrary<Effect> = fc.oneof(
      fc.array(word, { minLength: 1, maxLength: 3 }).map((argv) => command(...argv)),
      fc.constantFrom("/w/app/src/a", "/w/b", "/etc/x").map((path) => write(path)),
      fc.constant(unknown("?")),
    );
    const rule = fc.constantFrom("Bash(git *)", "Bash(npm x)", "Edit(src/**)", "Bash", "Edit(//etc/**)");
    fc.assert(
      fc.property(rule, fc.array(effect), effect, fc.nat(), (text, effects, more, at) => {
        const place = at % (effects.length + 1);
        const longer = [...effects.slice(0, place), more, ...effects.slice(place)];
        expect(!meant(text, call(effects)) || meant(text, call(longer))).toBe(true);
        expect(meant(text, call(longer))).toBe(longer.some((one) => meant(text, call([one]))));
      }),
    );
  });
});
