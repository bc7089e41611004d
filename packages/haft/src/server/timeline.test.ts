import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { type TestServer, testServer } from "../../test/support/console-server.ts";
import { calls, finish, type ScriptStep, says, scriptedModel } from "../../test/support/scripted-model.ts";

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

const FILES = ["a.txt", "b.txt", "c.txt"];
const hashNow = (name: string): string | undefined => {
  const path = join(server.cwd, name);
  return existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : undefined;
};
const treeNow = () => Object.fromEntries(FILES.map((name) => [name, hashNow(name)]));

it("after each call of a session the files are known again as they were then, also after an undo", async () => {
  const trees: object[] = [];
  const note = async () => void trees.push(treeNow());
  const step = (id: string, tool: string, input: object): ScriptStep[] => [calls(id, tool, input), finish()];
  const turns = [
    step("c1", "Write", { file_path: "a.txt", content: "one\n" }),
    step("c2", "Write", { file_path: "b.txt", content: "two\n" }),
    step("c3", "Edit", { file_path: "a.txt", old_string: "one", new_string: "three" }),
    step("c4", "Bash", { command: "echo four > c.txt; rm b.txt" }),
    step("c5", "Read", { file_path: "a.txt" }),
    step("c6", "Write", { file_path: "b.txt", content: "six\n" }),
    says("Done."),
  ];
  // Each turn begins after the calls of the one before have ended.
  const model = scriptedModel(turns.map((turn, at) => (at === 0 ? turn : [note, ...turn])));
  server = await testServer(model, { session: { mode: "bypassPermissions", settings: false } });
  const { id } = await server.ask("POST", "/api/sessions", {});
  await server.ask("POST", `/api/sessions/${id}/prompt`, { text: "Go.", wait: true });
  const past = async (call: string) => {
    const { files } = await server.ask("GET", `/api/sessions/${id}/calls/${call}/files`);
    const known = files as { path: string; type: string; hash?: string }[];
    return Object.fromEntries(
      FILES.map((name) => [name, known.find(({ path }) => path === join(server.cwd, name))?.hash]),
    );
  };
  const { calls: timeline } = (await server.ask("GET", `/api/sessions/${id}/timeline`)) as {
    calls: { id: string; changed: boolean }[];
  };
  expect(timeline.map((one) => [one.id, one.changed])).toEqual([
    ...["c1", "c2", "c3", "c4"].map((call) => [call, true]),
    ["c5", false],
    ["c6", true],
  ]);
  expect(trees).toHaveLength(6);
  const told = await Promise.all(timeline.map((one) => past(one.id)));
  expect(told).toEqual(trees);
  const { changes } = await server.ask("GET", `/api/journal/${id}/c3`);
  expect(changes).toMatchObject([{ diff: expect.stringContaining("+three") }]);
  await server.ask("POST", "/api/journal/undo", { session: id, to: "c3" });
  expect(treeNow()).toEqual(trees[2]);
  expect(await Promise.all(timeline.map((one) => past(one.id)))).toEqual(trees);
  const path = encodeURIComponent(join(server.cwd, "b.txt"));
  expect(await server.ask("GET", `/api/sessions/${id}/calls/c6/file?path=${path}`)).toMatchObject({ text: "six\n" });
  const { differences } = await server.ask("POST", `/api/sessions/${id}/replay`, {
    deny: ["write(b.txt)"],
    mode: "bypassPermissions",
  });
  expect((differences as { id: string; now: string }[]).map((one) => [one.id, one.now])).toEqual(
    expect.arrayContaining([
      ["c2", "deny"],
      ["c6", "deny"],
    ]),
  );
});

it("the timeline tells for each call what the context held and which answers were remembered", async () => {
  const used = (inputTokens: number): ScriptStep => ({
    ...{ type: "finish", reason: "calls" },
    usage: { inputTokens, outputTokens: 10 },
  });
  const write = (id: string, content: string) => calls(id, "Write", { file_path: "a.txt", content });
  server = await testServer(
    scriptedModel([
      [calls("c0", "Glob", { pattern: "*" }), used(100)],
      [write("c1", "one\n"), used(200)],
      [write("c2", "two\n"), finish()],
      says("Done."),
    ]),
    { session: { settings: false } },
  );
  const { id } = await server.ask("POST", "/api/sessions", {});
  const socket = await server.connect();
  socket.send({ type: "prompt", session: id, text: "Go." });
  const { item } = await socket.next(({ type }) => type === "asked");
  const { request } = item as { request: { id: string; suggestions: { rules: string[]; scope: string }[] } };
  const remember = request.suggestions.find(({ scope }) => scope === "session")!;
  await server.ask("POST", `/api/approvals/${request.id}/answer`, { answer: { behavior: "allow", remember } });
  const timeline = () => server.ask("GET", `/api/sessions/${id}/timeline`);
  await expect.poll(async () => (await timeline()).total).toBe(3);
  expect(await timeline()).toMatchObject({
    calls: [
      { id: "c0", context: 110, grants: 0 },
      { id: "c1", context: 210, grants: 1 },
      { id: "c2", grants: 1 },
    ],
    remembered: [{ rules: remember.rules, scope: "session", by: "ann" }],
  });
  const [, , last] = (await timeline()).calls as { context?: number }[];
  expect(last?.context).toBeUndefined();
});

it("U17 a switch on the tools page counts from the next request on, and a setting outside the list is refused", async () => {
  const model = scriptedModel([says("One."), says("Two.")]);
  server = await testServer(model);
  const { id } = await server.ask("POST", "/api/sessions", {});
  const prompt = () => server.ask("POST", `/api/sessions/${id}/prompt`, { text: "Go.", wait: true });
  await prompt();
  const change = (keys: string[], value: unknown) => server.ask("PUT", "/api/settings", { changes: [{ keys, value }] });
  expect(await change(["tools", "Grep", "enabled"], false)).toMatchObject({
    settings: { tools: { Grep: { enabled: false } } },
  });
  await prompt();
  const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect([names[0]?.includes("Grep"), names[1]?.includes("Grep")]).toEqual([true, false]);
  expect(await change(["permissions", "allow"], ["Bash"])).toMatchObject({ error: { code: "invalid_input" } });
  expect(await change(["tools", "Grep", "enabled"], "perhaps")).toMatchObject({ error: { code: "validation_failed" } });
  expect(await server.ask("GET", `/api/sessions/${id}/tools`)).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ name: "Grep", offered: false })]),
  });
});

it("E21 a client that reads nothing is left out, then disconnected; another one misses nothing", {
  timeout: 120_000,
}, async () => {
  const text = "x".repeat(400_000);
  const flood = Array.from({ length: 80 }, (_, at): ScriptStep => ({ type: "delta", key: `t${at}`, of: "text", text }));
  server = await testServer(scriptedModel([[...flood, ...says("Done.")]]), { unreadMs: patience(300) });
  const { id } = await server.ask("POST", "/api/sessions", {});
  const [deaf, other] = [await server.connect(), await server.connect()];
  for (const one of [deaf, other]) one.send({ type: "watch", session: id, after: 0 });
  const gone = new Promise((resolve) => deaf.socket.once("close", resolve));
  deaf.socket.pause();
  other.send({ type: "prompt", session: id, text: "Go." });
  // A client that was too slow for a moment is told to load again; either way it learns of the end.
  await other.next(({ type, event }) => type === "gap" || (event as { type?: string })?.type === "end");
  await expect.poll(() => server.handle.socketCount(), { timeout: patience(15_000) }).toBe(1);
  deaf.socket.terminate();
  await gone;
});

it("E25 a session has the title of its first prompt, also after a summary has replaced it and after a restart", async () => {
  const model = () => scriptedModel([says("One."), says("Two."), says("SUMMARY")]);
  server = await testServer(model(), { session: { settings: false } });
  const { id } = await server.ask("POST", "/api/sessions", {});
  for (const text of ["Mend the gate.", "Paint it.", "/compact"])
    await server.ask("POST", `/api/sessions/${id}/prompt`, { text, wait: true });
  const { view } = await server.ask("GET", `/api/sessions/${id}/view`);
  expect(JSON.stringify(view)).toContain("SUMMARY");
  const titles = async () => ((await server.ask("GET", "/api/sessions")).sessions as { title: string }[])[0]?.title;
  expect(await titles()).toBe("Mend the gate.");
  await server.restart(model());
  expect(await titles()).toBe("Mend the gate.");
  await server.ask("POST", "/api/sessions", { resume: id });
  expect(await titles()).toBe("Mend the gate.");
});

it("W02 an undo of a turn takes back that turn alone, in a session of several prompts and after a restart", async () => {
  const write = (name: string): ScriptStep[] => [
    calls(`c-${name}`, "Write", { file_path: name, content: "x" }),
    finish(),
  ];
  const model = (...names: readonly string[]) => scriptedModel(names.flatMap((name) => [write(name), says("Done.")]));
  const session = { mode: "bypassPermissions", settings: false } as const;
  server = await testServer(model("a.txt", "b.txt"), { session });
  const { id } = await server.ask("POST", "/api/sessions", {});
  const prompt = () => server.ask("POST", `/api/sessions/${id}/prompt`, { text: "Go on.", wait: true });
  await prompt();
  await prompt();
  await server.restart(model("c.txt"));
  await server.ask("POST", "/api/sessions", { resume: id });
  await prompt();
  const { calls: made } = (await server.ask("GET", `/api/sessions/${id}/timeline`)) as { calls: { turn: number }[] };
  const turns = made.map(({ turn }) => turn);
  expect(new Set(turns).size).toBe(3);
  await server.ask("POST", "/api/journal/undo", { session: id, turn: turns[1] });
  expect(Object.entries(treeNow()).flatMap(([name, hash]) => (hash === undefined ? [] : [name]))).toEqual([
    "a.txt",
    "c.txt",
  ]);
});
