import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStores, type RecordEntry, type StoredApproval } from "@haft/core/host";
import { contentsText, defineTool, text } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { sqliteStores } from "../../../../../examples/stores/sqlite-stores.ts";
import { createHaft } from "../create-haft.ts";
import type { Haft, HaftOptions } from "../haft.ts";

let cwd: string;
const open: Haft[] = [];
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-own-stores-")));
});
afterEach(async () => {
  // A record that cannot be written makes the end fail, too.
  await Promise.allSettled(open.splice(0).map((haft) => haft[Symbol.asyncDispose]()));
  rmSync(cwd, { recursive: true, force: true });
});

async function start(options: HaftOptions): Promise<Haft> {
  const haft = await createHaft({
    cwd,
    home: cwd,
    env: {},
    settings: false,
    stateDir: false,
    session: "s1",
    ...options,
  });
  open.push(haft);
  return haft;
}

const write = (haft: Haft, id = "c1", name = "a.txt") => haft.call("Write", { file_path: name, content: "x" }, { id });

async function asked(haft: Haft) {
  await expect.poll(() => haft.pending().length).toBe(1);
  return haft.pending()[0]!;
}

describe("approvals in a store of the host's own", () => {
  it("F11 outlast the process: the answer counts once, for the call made again", async () => {
    const file = join(cwd, "stores.db");
    const [one, two] = [sqliteStores(file), sqliteStores(file)];
    const first = await start({ approvals: one.approvals, ask: "host" });
    const calling = write(first);
    const { id } = await asked(first);
    await first[Symbol.asyncDispose]();
    expect((await calling).error?.code).toBe("needs_approval");

    const second = await start({ approvals: two.approvals, ask: "host" });
    expect((await asked(second)).id).toBe(id);
    expect(second.answer(id, { behavior: "allow" })).toEqual({ accepted: true });
    expect(second.pending()).toEqual([expect.objectContaining({ id })]);
    expect((await write(second)).error).toBeUndefined();
    expect(await two.approvals.list("s1")).toEqual([]);
    void write(second, "c2");
    expect((await asked(second)).id).not.toBe(id);
    one.close();
    await second[Symbol.asyncDispose]();
    two.close();
  });

  it("F11 a yes whose call has not started yet counts for a later process", async () => {
    const stores = memoryStores();
    let isGone = false;
    const approvals: typeof stores.approvals = {
      list: (session) => stores.approvals.list(session),
      // The process dies when it would write that the call starts.
      put: (row) => (row.state === "ended" && !isGone ? new Promise<never>(() => {}) : stores.approvals.put(row)),
    };
    const first = await start({ approvals, ask: async () => ({ behavior: "allow" }) });
    void write(first);
    await expect.poll(async () => (await approvals.list("s1"))[0]?.state).toBe("answered");
    isGone = true;
    const second = await start({ approvals });
    expect((await write(second, "c2")).error).toBeUndefined();
    expect((await write(second, "c3")).error?.code).toBe("needs_approval");
  });

  it("F11 are answered by another process while this one waits", async () => {
    const { approvals } = memoryStores();
    const haft = await start({ approvals, ask: "host" });
    const calling = write(haft);
    await asked(haft);
    const [row] = await approvals.list("s1");
    await approvals.put({
      ...row!,
      revision: 2,
      state: "answered",
      answer: { answer: { behavior: "allow" }, by: "web" },
    });
    expect((await calling).error).toBeUndefined();
  });

  it.each<[string, Partial<ReturnType<typeof memoryStores>["approvals"]>]>([
    ["fails", { put: () => Promise.reject(new Error("no connection")) }],
    ["refuses the row", { put: () => false }],
  ])("F11 a store that %s: nobody is asked, and nothing runs", async (_, broken) => {
    let count = 0;
    const { approvals } = memoryStores();
    const ask = async () => ({ behavior: count++ >= 0 ? ("allow" as const) : ("deny" as const) });
    const haft = await start({ approvals: { ...approvals, ...broken }, ask });
    const { error } = await write(haft);
    expect([error?.code, count]).toEqual([expect.stringMatching(/^(execution_failed|conflict)$/), 0]);
    expect((await haft.call("Read", { file_path: "a.txt" })).error?.code).toBe("file_not_found");
  });

  it("F11 a store that cannot record a yes: the call does not run", async () => {
    const { approvals } = memoryStores();
    const put = (row: StoredApproval) => row.state !== "ended" && approvals.put(row);
    const haft = await start({ approvals: { ...approvals, put }, ask: async () => ({ behavior: "allow" }) });
    expect((await write(haft)).error?.code).toBe("conflict");
    expect((await haft.call("Read", { file_path: "a.txt" })).error?.code).toBe("file_not_found");
  });

  it("F11 a store that returns old rows: an answer that was used does not count again", async () => {
    const { approvals } = memoryStores();
    const haft = await start({ approvals, ask: "host" });
    void write(haft);
    const { id } = await asked(haft);
    await haft[Symbol.asyncDispose]();
    const [left] = await approvals.list("s1");
    const answered = { ...left!, revision: left!.revision + 1, state: "answered" as const };
    const given = { ...answered, answer: { answer: { behavior: "allow" }, by: "web" } };
    await approvals.put(given);
    const stale = { list: () => [given], put: approvals.put };
    const second = await start({ approvals: stale, ask: "host" });
    expect((await write(second)).error).toBeUndefined();
    rmSync(join(cwd, "a.txt"));
    const again = await write(second, "c2");
    expect([again.error?.code, id]).toEqual(["conflict", given.id]);
    const third = await start({ approvals: stale, ask: "host" });
    expect((await write(third, "c3")).error?.code).toBe("conflict");
  });
});

describe("the record in a store of the host's own", () => {
  it("E15 has calls, questions and answers without secrets, and the next process reads it", async () => {
    const { record } = memoryStores();
    const env = { API_TOKEN: "s3cr3t-of-the-host-1234" };
    const haft = await start({ record, env, ask: async () => ({ behavior: "allow" }) });
    await haft.call("Write", { file_path: "a.txt", content: env.API_TOKEN });
    await haft[Symbol.asyncDispose]();
    const entries = await record.read("s1");
    expect(entries.map(({ t }) => t)).toEqual(["session", "approval", "answer", "call", "end"]);
    expect(JSON.stringify(entries)).not.toContain(env.API_TOKEN);
  });

  it("E15 a store that fails: the next call waits for it and does not run, and nothing is lost", async () => {
    const { record } = memoryStores();
    let isDown = false;
    const append = (session: string, after: number, entries: readonly RecordEntry[]) => {
      if (isDown) throw new Error("no connection");
      return record.append(session, after, entries);
    };
    const haft = await start({ record: { ...record, append }, rules: { allow: ["Write"] } });
    isDown = true;
    const first = await write(haft, "c1");
    expect([first.error, String(first.metadata?.logProblem)]).toEqual([
      undefined,
      expect.stringContaining("no connection"),
    ]);
    const refused = await haft.call("Write", { file_path: "b.txt", content: "x" }, { id: "c2" });
    expect([refused.error?.code, refused.error?.message]).toEqual([
      "execution_failed",
      expect.stringContaining("no connection"),
    ]);
    isDown = false;
    expect((await haft.call("Read", { file_path: "b.txt" }, { id: "c3" })).error?.code).toBe("file_not_found");
    const calls = (await record.read("s1")).filter(({ t }) => t === "call").map(({ id }) => id);
    expect(calls).toEqual(["c1", "c2", "c3"]);
  });

  it("E15 a store that stored what it reported as failed: no entry is there twice", async () => {
    const { record } = memoryStores();
    let isOdd = false;
    const append = async (session: string, after: number, entries: readonly RecordEntry[]) => {
      const done = await record.append(session, after, entries);
      if (isOdd) throw new Error("the connection broke");
      return done;
    };
    const haft = await start({ record: { ...record, append }, rules: { allow: ["Write"] } });
    isOdd = true;
    await write(haft, "c1");
    isOdd = false;
    await write(haft, "c2");
    const calls = (await record.read("s1")).filter(({ t }) => t === "call").map(({ id }) => id);
    expect(calls).toEqual(["c1", "c2"]);
  });

  it("E15 a session opened twice: the first makes no more calls, and the record stays whole", async () => {
    const { record } = memoryStores();
    const first = await start({ record, rules: { allow: ["Write"] } });
    await write(first, "c1");
    const second = await start({ record, rules: { allow: ["Write"] } });
    await write(second, "c2", "b.txt");
    const late = await write(first, "c3", "c.txt");
    const after = await write(first, "c4", "d.txt");
    expect(String(late.metadata?.logProblem)).toContain("Another process has opened session s1");
    expect(after.error).toMatchObject({ code: "conflict", message: expect.stringContaining("Another process") });
    expect((await write(second, "c5", "e.txt")).error).toBeUndefined();
    const calls = (await record.read("s1")).filter(({ t }) => t === "call").map(({ id }) => id);
    expect(calls).toEqual(["c1", "c2", "c5"]);
  });
});

describe("long results in a store of the host's own", () => {
  const Long = defineTool({
    name: "Long",
    description: "Says much.",
    input: z.object({}),
    can: ["read"],
    effects: () => [],
    run: () => Array.from({ length: 30_000 }, (_, at) => `line ${at}`).join("\n"),
    toModel: (output) => [text(String(output))],
  });

  it("H14 are read back by the path that the result names, and searched", async () => {
    const { spill } = memoryStores();
    const haft = await start({ spill, tools: [Long] });
    const result = await haft.call("Long", {}, { id: "c/../1" });
    const path = result.spilled!.path;
    expect(path).toMatch(/^\/haft-results\/s1\/[a-z0-9]+-1-c____1\.txt$/);
    expect(contentsText(result.content)).toContain(path);
    const read = await haft.call("Read", { file_path: path, offset: 29_990, limit: 3 });
    expect(contentsText(read.content)).toContain("line 29989");
    const found = await haft.call("Grep", { path, pattern: "line 2999\\d", output_mode: "content" });
    expect(contentsText(found.content)).toContain("line 29999");
    expect((await haft.call("Write", { file_path: path, content: "x" })).error).toBeDefined();
  });

  it("H14 a store that fails: the result says what is lost", async () => {
    const spill = { write: () => Promise.reject(new Error("no connection")), read: () => undefined };
    const haft = await start({ spill, tools: [Long] });
    const said = contentsText((await haft.call("Long", {})).content);
    expect(said).toContain("The rest is lost: The store of results failed: no connection.");
  });
});
