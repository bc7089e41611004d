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
  // The Write was not allowed by anybody.
  expect([code, stderr]).toEqual([4, ""]);
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
  expect(other.stdout).toMatch(/Drift in \d of 3 calls:\n {2}turn 1: Read \(\w+\) differs from line 1 on:/);
  expect(other.stdout).toMatch(/- .*hello\n {4}\+ .*hello, somebody/);
});

it("E24 the answer is all of standard output; rows and what was not allowed go to standard error", async () => {
  await using server = await wireServer(work);
  const { code, stdout, stderr } = await place.haft(["Work.", ...model], { env: key(server.url) });
  expect(stdout).toBe("Done.\n");
  expect(code).toBe(4);
  expect(stderr).not.toContain("\u001b");
  expect(stderr.split("\n")).toContain("Looking.");
  expect(stderr).toMatch(/^● .*Read 1 line of a\.txt.* ms$/m);
  expect(stderr).toContain("needs_approval");
  expect(stderr).toContain("2 changes refused, because nobody was there to approve it: Write b.txt; Edit a.txt.");
  expect(stderr).toContain("--allow 'Edit(/b.txt)' --allow 'Edit(/a.txt)'");
  // Those words are for the model.
  expect(stderr).not.toContain("Find a way that needs no approval");
});

it("E24 piped input is a part of the prompt, or all of it", { timeout: 60_000 }, async () => {
  await using server = await wireServer(Array.from({ length: 4 }, () => ({ events: streamOf([say("Ok.")]) })));
  const env = key(server.url);
  await place.haft(["run", "Sum it up.", ...model], { env, input: "piped\n" });
  await place.haft(["run", ...model], { env, input: "only piped\n" });
  await place.haft(["run", "-", ...model], { env, input: "by a dash\n" });
  await place.haft([...model], { env, input: "without a command\n" });
  const said = server.bodies.map((body) => JSON.stringify(JSON.parse(body).messages));
  for (const words of ["Sum it up.\\n\\npiped", "only piped", "by a dash", "without a command"])
    expect(said.shift()).toContain(`"${words}"`);
  const nothing = await place.haft(["run", ...model], { env });
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining("There is no prompt.")]);
});

it("E24 --session last goes on with the conversation, and a call in between does not hide it", {
  timeout: 60_000,
}, async () => {
  await using server = await wireServer(Array.from({ length: 3 }, () => ({ events: streamOf([say("Ok.")]) })));
  const env = { ...key(server.url), SECRET_TOKEN: "sk-very-secret-1234567890" };
  await place.haft(["run", "first alpha sk-very-secret-1234567890", ...model], { env });
  await place.haft(["call", "Read", '{"file_path": "a.txt"}']);
  await place.haft(["run", "second beta", ...model, "--session", "last"], { env });
  const messages = JSON.parse(server.bodies[1]!).messages;
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "user"]);
  expect(JSON.stringify(messages)).toContain("first alpha");
  // Secrets of the environment are not recorded.
  expect(JSON.stringify(messages)).not.toContain("sk-very-secret");
  await place.haft(["run", "third", ...model], { env });
  expect(JSON.parse(server.bodies[2]!).messages).toHaveLength(1);
});

it("E25 a summary in place of messages is told, to programs too, and so is a refused one", {
  timeout: 60_000,
}, async () => {
  place.write("long.txt", "a line of forty characters, more or less\n".repeat(3_000));
  const small = { compaction: { contextTokens: 30 } };
  const refusing = { PreCompact: [{ hooks: [{ type: "command", command: "echo not today >&2; exit 2" }] }] };
  place.write("small.json", JSON.stringify(small));
  place.write("refusing.json", JSON.stringify({ ...small, hooks: refusing }));
  const read = async (settings: string, words: readonly string[], ...more: string[]) => {
    const turns = [[call("t1", "Read", { file_path: "long.txt" })], ...words.map((text) => [say(text)])];
    await using server = await wireServer(turns.map((blocks) => ({ events: streamOf(blocks) })));
    const args = ["run", "Read.", ...model, "--settings", join(place.cwd, settings), ...more];
    return await place.haft(args, { env: key(server.url) });
  };
  expect((await read("small.json", ["SUMMARY", "Done."])).stderr).toContain("A summary replaced 2 messages.");
  const { stdout } = await read("small.json", ["SUMMARY", "Done."], "--json");
  expect(jsonLines(stdout)).toContainEqual(expect.objectContaining({ type: "compacted", summary: "SUMMARY" }));
  expect((await read("refusing.json", ["Done."])).stderr).toMatch(/was not summarized: .*not today/);
});

it("E24 a key alone chooses the model, and options may stand before a command", { timeout: 60_000 }, async () => {
  await using server = await wireServer([{ events: streamOf([say("Ok.")]) }]);
  expect(await place.haft(["run", "Hi."], { env: key(server.url) })).toMatchObject({ code: 0, stdout: "Ok.\n" });
  expect(JSON.parse(server.bodies[0]!).model).toBe("claude-sonnet-5-5");
  const listed = await place.haft(["--mode", "plan", "--no-user-settings", "call", "Read", '{"file_path": "a.txt"}']);
  expect(listed).toMatchObject({ code: 0, stdout: "hello\n" });
  const typo = await place.haft(["--mode=plan", "cal", "Read"]);
  expect(typo.stderr).toContain("Did you mean haft call?");
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
  expect(failed.stderr).toContain("bad key");
  expect(failed.stderr).toContain("ANTHROPIC_API_KEY");
  expect(jsonLines(limited.stdout).at(-1)).toMatchObject({ type: "end", reason: "max_turns" });
  expect(none.stderr).toContain("--model provider/name");
  expect(unknown.stderr).toContain("none.json");
});

it.each([
  ["nothing at all", [], "end_turn", "the model said nothing"],
  ["half an answer", [say("Half")], "max_tokens", "was cut"],
  ["what its provider takes back", [], "refusal", "withheld the answer"],
] as const)("E16 a model that answers with %s leaves nobody in doubt", async (_, blocks, reason, words) => {
  const answer = { events: streamOf(blocks, reason) };
  await using server = await wireServer([answer, answer]);
  const people = await place.haft(["run", "Work.", ...model], { env: key(server.url) });
  expect([people.code, people.stderr]).toEqual([0, expect.stringContaining(words)]);
  const programs = await place.haft(["run", "Work.", ...model, "--json"], { env: key(server.url) });
  expect(jsonLines(programs.stdout).at(-1)).toMatchObject({ reason: "answered", why: expect.stringContaining(words) });
});

it("E25 -c goes on with the last conversation, --fork with a copy; sessions lists, exports and deletes them", async () => {
  const answers = ["One.", "Two.", "Three."].map((text) => ({ events: streamOf([say(text)]) }));
  await using server = await wireServer(answers);
  const haft = (...args: string[]) => place.haft(args, { env: key(server.url) });
  expect((await haft("run", "-c", "Go on.", ...model)).stderr).toContain("no conversation yet");
  expect((await haft("run", "First words.", ...model)).stdout).toBe("One.\n");
  expect((await haft("run", "-c", "And then?", ...model)).stdout).toBe("Two.\n");
  expect((await haft("run", "-c", "--fork", "Otherwise?", ...model)).stdout).toBe("Three.\n");
  expect(server.bodies.map((body) => JSON.parse(body).messages.length)).toEqual([1, 3, 5]);
  const listed = JSON.parse((await haft("sessions", "--json")).stdout);
  expect(listed.map(({ title, messages }: { title: string; messages: number }) => [title, messages])).toEqual([
    ["First words.", 6],
    ["First words.", 4],
  ]);
  const { stdout } = await haft("sessions", "export", listed[1].id);
  expect(stdout).toMatch(/## User\n\nFirst words\.\n\n## Agent\n\nOne\.\n\n## User\n\nAnd then\?/);
  expect(stdout).not.toContain("Otherwise?");
  expect((await haft("sessions", "delete", listed[0].id)).code).toBe(0);
  expect(JSON.parse((await haft("sessions", "--json")).stdout)).toHaveLength(1);
});
