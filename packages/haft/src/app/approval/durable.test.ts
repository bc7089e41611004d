import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Asker } from "@haft/core/approval";
import { contentsText } from "@haft/core/tool";
import { afterEach, beforeEach, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { createHaft } from "../create-haft.ts";
import type { Haft, HaftOptions } from "../haft.ts";
import { answerRecord } from "./answer.ts";

let base: string;
let cwd: string;
const opened: Haft[] = [];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-durable-")));
  cwd = join(base, "work");
  mkdirSync(cwd);
});
afterEach(async () => {
  for (const haft of opened.splice(0)) await haft[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

async function open(options: HaftOptions = {}): Promise<Haft> {
  const haft = await createHaft({
    cwd,
    home: base,
    env: {},
    settings: false,
    stateDir: join(base, "state"),
    session: "s1",
    ask: "host",
    ...options,
  });
  opened.push(haft);
  return haft;
}

const write = (haft: Haft, content = "x", id = "c1") => haft.call("Write", { file_path: "a.txt", content }, { id });
const folderOf = (haft: Haft) => join(dirname(haft.session.path!), "approvals");

async function asked(haft: Haft) {
  await expect.poll(() => haft.pending().length).toBe(1);
  return haft.pending()[0]!;
}

it("F11 the question is on disk, for its owner only, before anybody is asked", async () => {
  let seen: unknown;
  const ask: Asker = async ({ id }) => {
    const file = join(dirname(haft.session.path!), "approvals", `${id}.json`);
    const { state, request } = JSON.parse(readFileSync(file, "utf8"));
    seen = [statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777, state, request.input.content];
    return { behavior: "deny", message: "no" };
  };
  const haft = await open({ ask });
  await write(haft);
  expect(seen).toEqual([0o600, 0o700, "open", "x"]);
});

it("F11 a question that cannot be written down is put to nobody, and the call does not run", async () => {
  let count = 0;
  const haft = await open({ ask: async () => ({ behavior: count++ === 0 ? "allow" : "deny" }) });
  writeFileSync(folderOf(haft), "a file where the folder would be");
  expect((await write(haft)).error?.code).toBe("execution_failed");
  expect([count, existsSync(join(cwd, "a.txt"))]).toEqual([0, false]);
});

it("F11 an answer from elsewhere is taken within 200 ms; the second one is told that it is late", async () => {
  const haft = await open();
  const writing = write(haft);
  const { id } = await asked(haft);
  const start = performance.now();
  expect(answerRecord(folderOf(haft), id, { behavior: "allow" }, "elsewhere")).toEqual({ accepted: true });
  expect((await writing).error).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(patience(400));
  expect(answerRecord(folderOf(haft), id, { behavior: "deny" }, "elsewhere")).toMatchObject({
    accepted: false,
    reason: "already_settled",
    message: expect.stringContaining("elsewhere allowed it"),
  });
  expect(answerRecord(folderOf(haft), "../s1", { behavior: "allow" }, "x")).toMatchObject({
    reason: "unknown_request",
  });
});

it("F11 one of two answers at once counts, and a foreign, altered or misplaced one does not", async () => {
  const haft = await open();
  const folder = folderOf(haft);
  const writing = write(haft);
  const { id } = await asked(haft);
  const file = join(folder, `${id}.answer.json`);
  const { digest } = JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8"));
  const good = { version: 1, requestId: id, callId: "c1", digest, answer: { behavior: "allow" }, by: "x", at: "" };
  const ignored = async (put: () => void) => {
    put();
    await expect.poll(() => existsSync(file)).toBe(false);
    expect(haft.pending()).toHaveLength(1);
  };
  const text = (change: object) => JSON.stringify({ ...good, ...change });
  for (const change of [
    { callId: "c2" },
    { digest: "0".repeat(64) },
    { requestId: "r9" },
    { answer: { behavior: "yes" } },
  ])
    await ignored(() => writeFileSync(file, text(change), { mode: 0o600 }));
  await ignored(() => writeFileSync(file, "{ torn", { mode: 0o600 }));
  await ignored(() => {
    writeFileSync(join(base, "elsewhere.json"), text({}), { mode: 0o600 });
    symlinkSync(join(base, "elsewhere.json"), file);
  });
  await ignored(() => {
    const open = join(base, "open.json");
    writeFileSync(open, text({}));
    chmodSync(open, 0o666);
    renameSync(open, file);
  });
  expect(existsSync(join(cwd, "a.txt"))).toBe(false);
  const [first, second] = [{ behavior: "deny", message: "one" } as const, { behavior: "allow" } as const];
  expect(answerRecord(folder, id, first, "a").accepted).toBe(true);
  expect(answerRecord(folder, id, second, "b").accepted).toBe(false);
  expect(contentsText((await writing).content)).toContain("one");
});

it("F11 a question that was altered on disk can be answered by nobody", async () => {
  const haft = await open();
  void write(haft);
  const { id } = await asked(haft);
  const file = join(folderOf(haft), `${id}.json`);
  writeFileSync(file, readFileSync(file, "utf8").replace("a.txt", "b.txt"), { mode: 0o600 });
  expect(answerRecord(folderOf(haft), id, { behavior: "allow" }, "x")).toMatchObject({
    accepted: false,
    message: expect.stringContaining("altered"),
  });
});

it("F11 after a restart the question is there, and its answer lets exactly the same call run, once", async () => {
  const before = await open();
  void write(before);
  const { id } = await asked(before);
  await before[Symbol.asyncDispose]();

  const after = await open();
  expect(after.pending().map((request) => [request.id, request.callId])).toEqual([[id, "c1"]]);
  expect(after.answer(id, { behavior: "allow" })).toEqual({ accepted: true });
  expect(after.answer(id, { behavior: "deny" })).toMatchObject({ accepted: false, reason: "already_settled" });
  expect((await write(after)).error).toBeUndefined();
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("x");
  expect(readdirSync(folderOf(after))).toEqual([`${id}.json`]);
  // Once: the next one asks again.
  rmSync(join(cwd, "a.txt"));
  void write(after, "x", "c2");
  expect((await asked(after)).id).not.toBe(id);
});

it.each<[string, HaftOptions, string]>([
  ["another input", {}, "y"],
  ["other rules", { rules: { deny: ["WebFetch"] } }, "x"],
])("F11 a kept yes is for no call with %s: that one is asked about anew", async (_, options, content) => {
  const before = await open();
  void write(before);
  const { id } = await asked(before);
  await before[Symbol.asyncDispose]();
  const after = await open(options);
  after.answer(id, { behavior: "allow" });
  void write(after, content);
  await expect.poll(() => after.pending().length).toBe(2);
  expect(existsSync(join(cwd, "a.txt"))).toBe(false);
});

it("F31 a call that waits when its host closes is told so and has not run; its question outlives it", async () => {
  const first = await open();
  const waiting = write(first);
  const { id } = await asked(first);
  await first[Symbol.asyncDispose]();
  expect((await waiting).error).toMatchObject({ code: "needs_approval" });
  expect((await write(first, "late", "c2")).error).toBeDefined();
  expect(existsSync(join(cwd, "a.txt"))).toBe(false);
  const second = await open();
  expect(second.pending().map((question) => question.id)).toContain(id);
  expect(second.answer(id, { behavior: "allow" })).toEqual({ accepted: true });
  expect((await write(second)).error).toBeUndefined();
});

it("F31 with nobody there the call is refused, its question stays, and a later yes lets it run", async () => {
  const nobody = await createHaft({
    cwd,
    home: base,
    env: {},
    settings: false,
    stateDir: join(base, "state"),
    session: "s1",
  });
  opened.push(nobody);
  const refused = await write(nobody);
  const id = refused.error?.details?.requestId as string;
  expect([refused.error?.code, existsSync(join(cwd, "a.txt"))]).toEqual(["needs_approval", false]);
  expect(contentsText(refused.content)).toContain(`haft approvals show ${id}`);
  expect(nobody.pending().map((request) => request.id)).toEqual([id]);
  expect(nobody.answer(id, { behavior: "allow" })).toEqual({ accepted: true });
  expect((await write(nobody, "x", "c2")).error).toBeUndefined();
  expect((await write(nobody, "y", "c3")).error?.code).toBe("needs_approval");
});

it("F11 the files of questions are protected: a tool that would write there asks, also where edits are free", async () => {
  const haft = await open({ mode: "acceptEdits", stateDir: join(base, ".local/state/haft"), session: "s9" });
  const { decision } = await haft.explain("Write", { file_path: join(folderOf(haft), "x.answer.json"), content: "{}" });
  expect(decision).toMatchObject({ decision: "ask", suggestions: [] });
});

it.each(["haft approvals allow abc", "env X=1 haft approvals allow abc", "true && haft trust"])(
  "F11 a model answers nothing in a person's place: %s is refused in every mode",
  async (command) => {
    const haft = await open({ mode: "bypassPermissions", rules: { allow: ["Bash"] } });
    expect((await haft.call("Bash", { command })).error?.code).toBe("forbidden_command");
  },
);
