import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";

let place: Scratch;
beforeAll(() => {
  place = scratch();
});
afterAll(() => place[Symbol.dispose]());

it("F29 lint names file, line and cure, and tells errors from warnings by its exit code", async () => {
  const odd = place.write(
    "odd.json",
    '{\n  permissions: {\n    deny: ["Bash"],\n    allow: ["Bash(ls *)"],\n  },\n}\n',
  );
  const broken = place.write("broken.json", '{ permissions: { deny: ["Edit(../x)"] } }');
  const [warned, failed] = await Promise.all([
    place.haft(["policy", "lint", odd]),
    place.haft(["policy", "lint", broken, "--json"]),
  ]);
  expect(warned).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/odd\.json:4: warning: .*never decides.*Remove it/),
  });
  expect(failed.code).toBe(2);
  expect(JSON.parse(failed.stdout)).toMatchObject({ remarks: [{ severity: "error", file: broken }] });
});

it("F29 test fails with the reason, the rule and exit code 1", async () => {
  const cases = '{ tool: "Bash", input: { command: "git push" }, expect: "ask" }';
  const file = place.write("cases.json5", `{ rules: { deny: ["Bash(git *)"] }, cases: [${cases}] }`);
  const here = place.write("here.json5", `{ cases: [${cases}] }`);
  const list = place.write("list.json5", `[${cases}]`);
  const [failed, passed, denied, misread] = await Promise.all([
    place.haft(["policy", "test", file]),
    place.haft(["policy", "test", here]),
    place.haft(["policy", "test", here, "--deny", "Bash(git *)", "--json"]),
    place.haft(["policy", "test", list]),
  ]);
  expect([misread.code, misread.stderr]).toEqual([2, expect.stringContaining("A case file: {cases: [")]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain("expected ask, got deny");
  expect(failed.stdout).toContain("rule: Bash(git *)");
  expect(passed).toMatchObject({ code: 0, stdout: "1 passed, 0 failed.\n" });
  expect(JSON.parse(denied.stdout)).toMatchObject({ passed: 0, failures: [{ got: "deny" }] });
});

it("F12 import prints settings and notes apart, refuses with the line, and never overwrites", async () => {
  const rules = place.write("default.rules", 'prefix_rule(pattern=["git","status"], match=["git status -s"])\n');
  const holes = place.write(
    "opencode.json",
    '{\n  "permission": { "bash": {\n    "*": "deny",\n    "git *": "allow"\n  } }\n}\n',
  );
  const [printed, refused, written] = await Promise.all([
    place.haft(["policy", "import", "codex", rules, "--tests", "git.cases.json"]),
    place.haft(["policy", "import", "opencode", holes]),
    place.haft(["policy", "import", "codex", rules, "--write"]),
  ]);
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(printed.stdout)).toEqual({ permissions: { allow: ["Bash(git status *)"] } });
  expect(refused).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/opencode\.json:4: error: .*\(line 3\)/),
  });
  expect(written).toMatchObject({ code: 0, stdout: "" });

  const target = join(place.cwd, ".haft", "settings.json");
  const first = readFileSync(target, "utf8");
  const [again, tested] = await Promise.all([
    place.haft(["policy", "import", "codex", rules, "--write"]),
    place.haft(["policy", "test", "git.cases.json"]),
  ]);
  expect(again.code).toBe(1);
  expect(readFileSync(target, "utf8")).toBe(first);
  expect(tested).toMatchObject({ code: 0, stdout: "1 passed, 0 failed.\n" });
});

it("F12 import refuses a file in which a list is there twice: the first would be lost", async () => {
  const text = '{"permissions": {"deny": ["Bash(rm *)"]},\n"permissions": {"allow": ["Bash"]}}';
  const { code, stdout, stderr } = await place.haft(["policy", "import", "claude", place.write("claude.json", text)]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/claude\.json:2: error: "permissions" appears twice \(also on line 1\)/);
});

it("F29 replay says what other rules would have decided in a session", async () => {
  const other = scratch();
  try {
    await other.haft(["call", "Bash", JSON.stringify({ command: "touch made", dry_run: true })]);
    const same = await other.haft(["policy", "replay", "last", "--json"]);
    expect(JSON.parse(same.stdout)).toMatchObject({ calls: 1, differences: [] });
    await other.haft(["call", "Bash", JSON.stringify({ command: "touch made" })]);
    const now = await other.haft(["policy", "replay", "last", "--deny", "Bash(touch *)", "--json"]);
    expect(JSON.parse(now.stdout)).toMatchObject({
      calls: 1,
      differences: [{ tool: "Bash", before: "ask", now: "deny", rule: { rule: "Bash(touch *)" } }],
    });
  } finally {
    other[Symbol.dispose]();
  }
});
