import { afterAll, beforeAll, expect, it } from "vitest";
import { jsonLines, type Scratch, scratch } from "../../../test/support/haft-process.ts";

let place: Scratch;

beforeAll(() => {
  place = scratch();
});
afterAll(() => place[Symbol.dispose]());

it("explains one call for people and for programs, and runs nothing", async () => {
  const call = ["explain", "Bash", JSON.stringify({ command: "touch made" }), "--deny", "Bash(touch *)"];
  const [people, programs] = await Promise.all([place.haft(call), place.haft([...call, "--json"])]);
  expect(people).toMatchObject({ code: 0, stderr: "" });
  expect(people.stdout).toContain("deny Bash: ");
  expect(people.stdout).toContain("run touch made");
  expect(people.stdout).toContain("→ deny rule [1]: ");
  expect(people.stdout).toContain('To change it\n  Remove the rule "Bash(touch *)" from the command line.');
  expect(JSON.parse(programs.stdout)).toMatchObject({
    tool: "Bash",
    decision: "deny",
    rule: { rule: "Bash(touch *)", behavior: "deny", origin: "cli" },
    effects: [{ do: "run" }, { do: "write" }],
  });
});

it("E01 says first how a tool itself refuses a call, and then what would be decided", async () => {
  place.write("there.txt", "old");
  const calls = [
    ["WebFetch", { url: "file:///etc/passwd" }, "file: addresses are not fetched."],
    ["WebFetch", { url: "http://127.0.0.1:8080/" }, "127.0.0.1 is a non-public address"],
    ["Write", { file_path: "there.txt", content: "x" }, "there.txt"],
  ] as const;
  const told = await Promise.all(calls.map(([tool, input]) => place.haft(["explain", tool, JSON.stringify(input)])));
  for (const [at, [tool, , why]] of calls.entries()) {
    const [first = "", ...rest] = told[at]!.stdout.split("\n");
    expect(first).toMatch(new RegExp(`^deny ${tool}: `));
    expect(first).toContain(why);
    expect(rest.join("\n")).toMatch(/The decision without that\n {2}ask: .*(?:\/etc\/passwd|127\.0\.0\.1|there\.txt)/);
    expect(rest.join("\n")).not.toContain("To change it");
  }
});

it("answers one line for each, in order, with any content", async () => {
  const w = { cwd: "/w", projectRoot: "/w" };
  const input = [
    JSON.stringify({ tool: "Read", input: { file_path: "/w/.env" }, rules: { deny: ["Read(.env)"] }, ...w }),
    "nonsense",
    "",
    JSON.stringify({ tool: "Nope" }),
    JSON.stringify({
      tool: "Bash",
      input: { command: "npm test" },
      rules: { allow: ["Bash(npm test)"] },
      ...w,
      colour: 1,
    }),
    "[]",
    JSON.stringify({ tool: "Read", input: { file_path: "a" }, rules: { allow: ["Read("] } }),
  ].join("\n");
  const { code, stdout } = await place.haft(["explain", "--jsonl", "-"], { input });
  expect(code).toBe(0);
  expect(
    jsonLines(stdout).map(({ line, tool, decision, error }) => [
      tool ?? line,
      decision,
      (error as { code: string })?.code,
    ]),
  ).toEqual([
    ["Read", "deny", undefined],
    [2, "deny", "invalid_json"],
    [3, "deny", "invalid_json"],
    ["Nope", "deny", "unknown_tool"],
    ["Bash", "allow", undefined],
    [6, "deny", "invalid_input"],
    [7, "deny", "validation_failed"],
  ]);
  expect(jsonLines(stdout)[4]?.warnings).toEqual(['unknown key "colour" was ignored']);
});

it("refuses words beside --jsonl, broken JSON and a missing tool", async () => {
  const ends = await Promise.all([
    place.haft(["explain", "Read", "--jsonl", "-"]),
    place.haft(["explain", "Read", "{bad"]),
    place.haft(["explain"]),
  ]);
  expect(ends.map(({ code }) => code)).toEqual([2, 2, 2]);
});

it("V10 names the rule that would allow a call if its folder were trusted, with file and line, and the cure", async () => {
  using own = scratch();
  own.write(".haft/settings.json", '{\n  "permissions": {\n    "allow": ["Bash(npm run *)"]\n  }\n}\n');
  const call = ["explain", "Bash", '{"command": "npm run build"}'];
  const { stdout } = await own.haft(call);
  expect(stdout).toMatch(/^ask Bash: .*"Bash\(npm run \*\)" \(\S*settings\.json:3\) would allow it.*haft trust/);
  expect(stdout).toContain("To change it\n  Look at the folder's settings, then trust it: haft trust.");
  await own.haft(["trust"]);
  expect((await own.haft(call)).stdout).toMatch(/^allow Bash: /);
});
