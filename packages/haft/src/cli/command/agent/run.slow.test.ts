import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, say, streamOf } from "../../../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../../../test/support/wire-server.ts";
import { jsonLines, type Scratch, scratch } from "../../../../test/support/haft-process.ts";

let place: Scratch;

beforeEach(() => {
  place = scratch();
  place.write("a.txt", "hello\n");
});
afterEach(() => place[Symbol.dispose]());

const work = [
  {
    events: streamOf([
      say("Looking."),
      call("t1", "Read", { file_path: "a.txt" }),
      call("t2", "Write", { file_path: "b.txt", content: "x" }),
    ]),
  },
  { events: streamOf([call("t3", "Edit", { file_path: "a.txt", old_string: "hello", new_string: "bye" })]) },
  { events: streamOf([say("Done.")]) },
];

const model = ["--model", "anthropic/claude-test"];
const key = (url: string) => ({ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${url}/v1` });

it("E16 every event is a line, with call id, agent, title, summary and content", { tags: ["smoke"] }, async () => {
  await using server = await wireServer(work);
  const args = ["run", "Work.", ...model, "--json", "--allow", "Edit(a.txt)", "--record", join(place.cwd, "c.json")];
  const { code, stdout, stderr } = await place.haft(args, { env: key(server.url) });
  expect([code, stderr]).toEqual([0, ""]);
  const events = jsonLines(stdout);
  expect(events[0]).toMatchObject({ type: "session", cwd: place.cwd, mode: "default", model: "anthropic/claude-test" });
  expect(events.at(-1)).toMatchObject({ type: "end", reason: "answered", text: "Done.", turns: 3 });
  const of = (id: string) => events.filter(({ toolCallId }) => toolCallId === id);
  const types = of("t1").map(({ type }) => type);
  expect(types.filter((type) => type !== "tool:execution:progress")).toEqual([
    "tool:call:received",
    "tool:call:decided",
    "tool:execution:start",
    "tool:execution:complete",
  ]);
  expect(of("t1").at(-1)).toMatchObject({
    agentId: "main",
    title: expect.stringContaining("a.txt"),
    summary: expect.any(String),
    content: { kind: "text", text: "hello" },
    status: "ok",
  });
  expect(of("t2").at(-1)).toMatchObject({
    type: "tool:execution:error",
    status: "denied",
    error: { code: "needs_approval" },
  });
  expect(of("t3").at(-1)).toMatchObject({
    type: "tool:execution:complete",
    content: { kind: "diff", added: 1, removed: 1 },
  });
  expect(existsSync(join(place.cwd, "b.txt"))).toBe(false);
  expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("bye\n");
});

it("a recorded run replays through the real tools without a model, and drift has exit code 1", async () => {
  await using server = await wireServer(work);
  const cassette = join(place.cwd, "c.json");
  await place.haft(["run", "Work.", ...model, "--allow", "Edit(a.txt)", "--record", cassette], {
    env: key(server.url),
  });
  place.write("a.txt", "hello\n");
  const same = await place.haft(["replay", cassette, "--allow", "Edit(a.txt)"]);
  expect(same.code).toBe(0);
  expect(same.stdout).toContain("Replayed 3 calls: no drift.");
  expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("bye\n");
  const other = await place.haft(["replay", cassette, "--allow", "Edit(a.txt)", "--json"]);
  expect(other.code).toBe(1);
  expect(jsonLines(other.stdout).at(-1)).toMatchObject({
    type: "end",
    drift: [
      { tool: "Read", recorded: "ok", replayed: "ok", text: { line: 1 } },
      { callId: "t3", tool: "Edit", recorded: "ok", replayed: "error" },
    ],
  });
});

it("a replay tells when a call ends the same way and tells something else", async () => {
  await using server = await wireServer(work);
  const cassette = join(place.cwd, "c.json");
  place.write("a.txt", "hello\n");
  await place.haft(["run", "Work.", ...model, "--allow", "Edit(a.txt)", "--record", cassette], {
    env: key(server.url),
  });
  place.write("a.txt", "hello, somebody\n");
  const other = await place.haft(["replay", cassette, "--allow", "Edit(a.txt)"]);
  expect(other.code).toBe(1);
  expect(other.stdout).toMatch(
    /Drift in \d of 3 calls:\n {2}turn 1: Read \(\w+\) tells something else from line 1 on:/,
  );
  expect(other.stdout).toMatch(/- .*hello\n {4}\+ .*hello, somebody/);
});

it("prints rows for people, append-only and without colours in a pipe", async () => {
  await using server = await wireServer(work);
  const { stdout } = await place.haft(["Work.", ...model], { env: key(server.url) });
  expect(stdout).not.toContain("\u001b");
  const lines = stdout.split("\n");
  expect(lines).toContain("Looking.");
  expect(stdout).toMatch(/^● Read a\.txt.* ms$/m);
  expect(stdout).toContain("needs_approval");
  expect(lines.at(-2)).toBe("Done.");
});

it("a model that fails, a limit and a missing model have their exit codes and their words", async () => {
  await using refusing = await wireServer([
    { status: 401, json: { type: "error", error: { type: "authentication_error", message: "bad key" } } },
  ]);
  await using endless = await wireServer(work);
  const [failed, limited, none, unknown] = await Promise.all([
    place.haft(["run", "Work.", ...model], { env: key(refusing.url) }),
    place.haft(["run", "Work.", ...model, "--max-turns", "1", "--json"], { env: key(endless.url) }),
    place.haft(["run", "Work."]),
    place.haft(["replay", "none.json"]),
  ]);
  expect([failed.code, limited.code, none.code, unknown.code]).toEqual([1, 1, 2, 2]);
  expect(failed.stdout).toContain("bad key");
  expect(jsonLines(limited.stdout).at(-1)).toMatchObject({ type: "end", reason: "max_turns" });
  expect(none.stderr).toContain("--model provider/name");
  expect(unknown.stderr).toContain("none.json");
});

it.each([
  ["nothing at all", [], "end_turn", "the model said nothing"],
  ["half an answer", [say("Half")], "max_tokens", "was cut"],
  ["what its provider takes back", [], "refusal", "held its answer back"],
] as const)("E16 a model that answers with %s leaves nobody in doubt", async (_, blocks, reason, words) => {
  const answer = { events: streamOf(blocks, reason) };
  await using server = await wireServer([answer, answer]);
  const people = await place.haft(["run", "Work.", ...model], { env: key(server.url) });
  expect([people.code, people.stdout]).toEqual([0, expect.stringContaining(words)]);
  const programs = await place.haft(["run", "Work.", ...model, "--json"], { env: key(server.url) });
  expect(jsonLines(programs.stdout).at(-1)).toMatchObject({ reason: "answered", why: expect.stringContaining(words) });
});
