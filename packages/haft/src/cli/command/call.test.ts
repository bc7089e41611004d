import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ended, HAFT, type Scratch, scratch } from "../../../test/support/haft-process.ts";

let place: Scratch;

beforeEach(() => {
  place = scratch();
  place.write("a.txt", "hello\n");
});
afterEach(() => place[Symbol.dispose]());

const json = (input: object) => JSON.stringify(input);

it("prints a result for people, and the call line for programs", async () => {
  const [people, programs] = await Promise.all([
    place.haft(["call", "Read", json({ file_path: "a.txt" })]),
    place.haft(["call", "Read", "-", "--json"], { input: json({ file_path: "a.txt" }) }),
  ]);
  expect(people).toMatchObject({ code: 0, stdout: "hello\n", stderr: "" });
  expect(programs.code).toBe(0);
  const line = JSON.parse(programs.stdout);
  expect(line).toMatchObject({
    id: "c1",
    tool: "Read",
    status: "ok",
    content: [{ type: "text", text: "     1\thello" }],
    output: { text: "hello" },
    effects: [{ do: "read", path: join(place.cwd, "a.txt") }],
    decision: "allow",
  });
  expect(new Date(line.startedAt).toISOString()).toBe(line.startedAt);
  expect(line.durationMs).toBeGreaterThanOrEqual(0);
  expect(line.reason).not.toBe("");
});

/** Runs a program on a terminal of its own. */
const SCRIPT = spawnSync("script", ["--version"]).stdout?.includes("util-linux");

it.skipIf(!SCRIPT)("U04 the hits of a search in another folder are links to their lines, and marked", () => {
  place.write("sub/b.txt", "one\ntwo hello\n");
  const search = json({ pattern: "hel+o", output_mode: "content" });
  const argv = [process.execPath, ...HAFT, "call", "Grep", `'${search}'`, "--cwd", "sub"].join(" ");
  const env = { ...place.env, TERM: "xterm-kitty" };
  const { stdout } = spawnSync("script", ["-qec", argv, "/dev/null"], { cwd: place.cwd, env, encoding: "utf8" });
  const { pathname } = pathToFileURL(join(place.cwd, "sub/b.txt"));
  expect(stdout).toContain(`${pathname}#L2\u001b\\`);
  expect(stdout).toContain("two \u001b[33mhello\u001b[39m");
});

it("E23 a hook that fails is told in plain words, as what it is", async () => {
  place.write(
    "rules.json",
    json({
      hooks: { PreToolUse: [{ matcher: "Read", hooks: [{ type: "command", command: "echo no >&2; exit 3" }] }] },
    }),
  );
  const { code, stderr } = await place.haft(["call", "Read", json({ file_path: "a.txt" }), "--settings", "rules.json"]);
  expect(code).toBe(4);
  expect(stderr.split("\n")[0]).toMatch(/^PreToolUse hook .*: it ended with exit code 3 \(no\)$/);
  expect(stderr).not.toContain("--trace-warnings");
});

it("F31 a call that would ask with nobody there is denied, needs approval, and does nothing", async () => {
  const write = await place.haft(["call", "Write", json({ file_path: "b.txt", content: "x" }), "--json"]);
  expect(write.code).toBe(4);
  expect(JSON.parse(write.stdout)).toMatchObject({
    status: "denied",
    decision: "ask",
    error: {
      code: "needs_approval",
      message: expect.stringMatching(/It did not run\. Mode default asks before writing .*b\.txt/),
      hint: expect.stringContaining("rule that allows it"),
    },
  });
  expect(existsSync(join(place.cwd, "b.txt"))).toBe(false);
});

it.each([
  ["a rule", ["call", "Bash", json({ command: "touch x" }), "--deny", "Bash", "--json"], 3, "denied_by_rule"],
  [
    "a specific rule",
    ["call", "Read", json({ file_path: "a.txt" }), "--deny", "Read(a.txt)", "--json"],
    3,
    "denied_by_rule",
  ],
  [
    "the mode",
    ["call", "Write", json({ file_path: "x", content: "" }), "--mode", "plan", "--json"],
    3,
    "denied_by_mode",
  ],
])("J06 a refusal by %s says so by code and exit code", async (_what, args, code, error) => {
  const refused = await place.haft(args);
  expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([code, error]);
  expect(existsSync(join(place.cwd, "x"))).toBe(false);
});

it("J06 a failing command keeps its output and exit code", async () => {
  const failed = await place.haft([
    "call",
    "Bash",
    json({ command: "cat a.txt; exit 3" }),
    "--allow",
    "Bash",
    "--json",
  ]);
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({
    status: "error",
    error: { code: "command_failed" },
    output: { exitCode: 3, output: "hello\n" },
  });
});

describe("bad input", () => {
  it.each([
    ["an unknown tool", ["call", "Raed", "{}"], 1, "Did you mean Read?"],
    ["malformed JSON", ["call", "Read", "{bad"], 2, "invalid_json"],
    ["a wrong type", ["call", "Read", '{"file_path": 5}'], 1, "file_path: expected string"],
    ["a missing field", ["call", "Read"], 1, "file_path"],
    ["a missing file", ["call", "Read", '{"file_path": "b.txt"}'], 1, "file_not_found"],
    ["no tool", ["call"], 2, "Which tool?"],
    ["an unknown option", ["call", "Read", "{}", "--jsom"], 2, "Did you mean --json?"],
    ["an unknown command", ["cal", "Read"], 2, "Did you mean haft call?"],
    ["an unknown mode", ["call", "Read", "{}", "--mode", "plam"], 2, "Did you mean plan?"],
    ["a session that is none", ["call", "Read", "{}", "--session", "../x"], 2, "cannot be a session id"],
    ["a last session that is not there", ["call", "Read", "{}", "--session", "last"], 2, "no session yet"],
    ["a rule that cannot be read", ["call", "Read", "{}", "--allow", "Read("], 2, "Read("],
    ["settings that are not there", ["call", "Read", "{}", "--settings", "no.json"], 2, "no.json"],
  ])("%s is named, with the cure", async (_what, args, code, words) => {
    const { stdout, stderr, ...end } = await place.haft(args);
    expect({ ...end, stdout }).toEqual({ code, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("    at ");
  });
});

describe("settings", () => {
  it.each([
    ["broken JSON5", '{\n  permissions: {\n    allow: ["Bash",\n', 4],
    ["an unknown key", '{\n  permissions: {\n    alow: ["Bash"],\n  },\n}', 3],
    ["a wrong type", '{\n  permissions: { allow: "Bash" },\n}', 2],
  ])("V09 %s ends with 2, names file and line, and allows nothing", async (_what, text, line) => {
    const file = place.write(".haft/settings.json", text);
    const end = await place.haft(["call", "Bash", json({ command: "touch made" }), "--trust", "--allow", "Bash"]);
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toContain(`${file}:${line}`);
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
  });

  it.each([
    ["all tools", { enableToolCalls: false }],
    ["one tool", { tools: { Read: { enabled: false } } }],
  ])("D13 %s switched off in the settings: refused on call", async (_what, settings) => {
    const file = place.write("s.json", JSON.stringify(settings));
    const end = await place.haft(["call", "Read", json({ file_path: "a.txt" }), "--settings", file, "--json"]);
    expect(end.code).toBe(1);
    expect(JSON.parse(end.stdout).error).toMatchObject({ code: "tool_unavailable" });
  });

  it("a folder's own settings loosen only when it is trusted", async () => {
    place.write(".haft/settings.json", JSON.stringify({ permissions: { allow: ["Bash(node make.mjs)"] } }));
    place.write("make.mjs", 'import { writeFileSync } from "node:fs"; writeFileSync("made", "");');
    const make = ["call", "Bash", json({ command: "node make.mjs" })];
    expect((await place.haft(make)).code).toBe(4);
    expect((await place.haft(["trust"])).stdout).toContain(place.cwd);
    expect((await place.haft(make)).code).toBe(0);
    expect(existsSync(join(place.cwd, "made"))).toBe(true);
  });
});

it("goes on with a session: what was read counts in its record, and no call id is used twice", async () => {
  const read = ["call", "Read", json({ file_path: "a.txt" }), "--json"];
  await place.haft(read);
  const second = await place.haft([...read, "--session", "last"]);
  expect(JSON.parse(second.stdout).id).toBe("c2");
  const log = await place.haft(["log", "--calls", "--json"]);
  const entries = log.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(entries.map(({ t, id, status, decision }) => [t, id, status, decision])).toEqual([
    ["call", "c1", "ok", "allow"],
    ["call", "c2", "ok", "allow"],
  ]);
  const people = await place.haft(["log"]);
  expect(people.stdout).toContain(`- read ${join(place.cwd, "a.txt")}`);
});

it("an interrupt cancels the running command and ends with 130", async () => {
  // Outside of the workspace, whose changes are only seen when the command has ended.
  const started = join(dirname(place.cwd), "started");
  const child = place.start([
    "call",
    "Bash",
    json({ command: `touch ${started}; exec sleep 30` }),
    "--allow",
    "Bash",
    "--json",
  ]);
  child.stdin.end();
  const end = ended(child);
  while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGINT");
  const { code, stdout } = await end;
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
});

it("U09 an error that stops the start quotes a stranger's settings, and nothing in it talks to the terminal", async () => {
  place.write(".haft/settings.json", JSON.stringify({ "key\u001b]52;c;aGk=\u0007\u202e": 1 }));
  const { code, stderr } = await place.haft(["call", "Read", '{"file_path":"a.txt"}']);
  expect(code).toBe(2);
  expect(stderr).toContain('Unknown key "key␛]52;c;aGk=␇‹U+202E›"');
  expect(stderr).not.toContain("\u001b");
});
