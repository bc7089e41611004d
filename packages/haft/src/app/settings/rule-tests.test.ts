import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-rule-tests-")));
  for (const folder of ["home", "work/.haft"]) mkdirSync(join(base, folder), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Loads a project with these rules and what the file says of them. */
async function load(rules: object, ...tests: object[]): Promise<void> {
  writeFileSync(
    join(base, "work/.haft/settings.json"),
    JSON.stringify({ permissions: { ...rules, tests } }, undefined, 1),
  );
  const haft = await createHaft({
    ...{ cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), env: {} },
  });
  await haft[Symbol.asyncDispose]();
}

const push = { rule: "Bash(git push *)", match: ["git push", "cd x && git push -f"], not_match: ["git pull"] };

describe("F29 the tests of rules in a settings file are checked when it is loaded", () => {
  it("F29 rules that mean what is said load, commands, files and hosts alike", async () => {
    await load({ deny: ["Bash(git push *)"], allow: ["Edit(/src/**)"] }, push, {
      rule: "Edit(/src/**)",
      match: [{ tool: "Edit", input: { file_path: "src/a/b", old_string: "a", new_string: "b" } }],
      not_match: [{ tool: "Write", input: { file_path: "b", content: "" } }],
    });
  });

  it.each<[string, object, object, RegExp]>([
    [
      "a call that is not hit",
      { deny: ["Bash(git push *)"] },
      { ...push, match: ["git stash push"] },
      /git stash push.*hit.*is not hit/,
    ],
    [
      "a call that is hit",
      { deny: ["Bash(git *)"] },
      { rule: "Bash(git *)", not_match: ["git pull"] },
      /git pull.*not hit.*is hit/,
    ],
    ["a rule that is not there", { deny: ["Bash(git *)"] }, push, /no such rule/],
  ])("F29 %s is an error with file, line and cure", async (_what, rules, test, why) => {
    const loading = load(rules, test);
    await expect(loading).rejects.toThrow(why);
    await expect(loading).rejects.toThrow(/settings\.json:\d+: error: .+\. (Correct|Write) /);
  });

  it("F29 a test that is written wrongly is an error too", async () => {
    await expect(load({ deny: ["Bash"] }, { rule: "Bash", matches: ["x"] })).rejects.toThrow(/matches.*Did you mean/);
    await expect(load({ deny: ["Bash"] }, { match: ["x"] })).rejects.toThrow(/rule/);
  });
});
