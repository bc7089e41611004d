import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { createHaft } from "../app/create-haft.ts";
import type { HaftOptions } from "../app/haft.ts";
import { queueFindings } from "../cli/command/queue/queue-finding.ts";
import { type StartOptions, startWorker } from "./index.ts";

const KEY = "k".repeat(64);
const env = { ...process.env, HAFT_QUEUE_KEY: KEY };

describe.runIf(hasRedis)("a worker on a queue", () => {
  let redis: TestRedis;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-workers-")));
  const home = realpathSync(mkdtempSync(join(tmpdir(), "haft-workers-home-")));
  const stateDir = join(home, "state");
  const base = { withoutUserSettings: true, stateDir, home, env } as const;
  const open = (name: string, more: HaftOptions = {}) =>
    createHaft({ ...base, cwd: folder, mode: "bypassPermissions", queue: { url: redis.url, name }, ...more });
  const work = (name: string, more: Partial<StartOptions> = {}) =>
    startWorker({ url: redis.url, name, workspaces: [folder], version: "test", haft: base, ...more });

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
  });

  it("does not start for a workspace that this machine does not have", async () => {
    const missing = join(folder, "missing");
    await expect(work("missing", { workspaces: [folder, missing] })).rejects.toThrow(
      `The workspace ${missing} is not a folder on this machine.`,
    );
  });

  it("runs reads and commands of a host, and sends output back", async () => {
    const worker = await work("first");
    await using haft = await open("first");
    writeFileSync(join(folder, "a.txt"), "hello from the worker\n");
    const read = await haft.call("Read", { file_path: join(folder, "a.txt") });
    expect(read.error).toBeUndefined();
    expect(JSON.stringify(read.content)).toContain("hello from the worker");
    const progress: string[] = [];
    const run = await haft.call(
      "Bash",
      { command: "echo one; echo $((40 + 2)) > b.txt; echo two" },
      { onUpdate: ({ output }) => progress.push(output ?? "") },
    );
    expect(run.error).toBeUndefined();
    expect(JSON.stringify(run.content)).toContain("two");
    expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("42\n");
    expect(worker.info().done).toBe(2);
    await worker.close();
  });

  it("keeps what the model knows of a file, and undoes what a worker has changed", async () => {
    const worker = await work("edit");
    await using haft = await open("edit");
    const file = join(folder, "edit.txt");
    writeFileSync(file, "one\n");
    const edit = { file_path: file, content: "two\n" };
    expect((await haft.call("Write", edit)).error?.code).toBe("read_first");
    await haft.call("Read", { file_path: file });
    expect((await haft.call("Write", edit, { id: "edit" })).error).toBeUndefined();
    expect(readFileSync(file, "utf8")).toBe("two\n");
    await haft.undo("edit");
    expect(readFileSync(file, "utf8")).toBe("one\n");
    expect(worker.info().done).toBe(2);
    await worker.close();
  });

  it("holds the rules of both sides", async () => {
    const worker = await work("rules", { haft: { ...base, rules: { deny: ["Read(./worker-secret.txt)"] } } });
    await using haft = await open("rules", { rules: { deny: ["Read(./host-secret.txt)"] } });
    for (const name of ["worker-secret", "host-secret", "open"]) writeFileSync(join(folder, `${name}.txt`), "needle\n");
    const denied = await haft.call("Read", { file_path: join(folder, "worker-secret.txt") });
    expect(denied.error).toMatchObject({ code: "denied_by_rule" });
    const found = JSON.stringify((await haft.call("Grep", { pattern: "needle", path: folder })).content);
    expect(found).toContain("open.txt");
    expect(found).not.toMatch(/worker-secret|host-secret/);
    await worker.close();
  });

  it("asks people where the agent runs, once", async () => {
    const worker = await work("asks");
    const asked: string[] = [];
    const ask: HaftOptions["ask"] = async ({ title }) => {
      asked.push(title);
      return { behavior: "allow" };
    };
    await using haft = await open("asks", { mode: "default", ask });
    const run = await haft.call("Bash", { command: "sh -c 'echo asked > asked.txt'" });
    expect(run.error).toBeUndefined();
    expect(asked).toHaveLength(1);
    expect(readFileSync(join(folder, "asked.txt"), "utf8")).toBe("asked\n");
    expect(worker.info().done).toBe(1);
    await worker.close();
  });

  it("keeps the order of conflicting calls of two hosts", async () => {
    const worker = await work("order", { concurrency: 4 });
    await using first = await open("order");
    await using second = await open("order");
    writeFileSync(join(folder, "count"), "0");
    const command = "n=$(cat count); sleep 0.02; echo $((n + 1)) > count";
    const calls = [first, second, first, second, first, second].map((haft, index) =>
      haft.call("Bash", { command }, { id: `n${index}` }),
    );
    for (const { error } of await Promise.all(calls)) expect(error).toBeUndefined();
    expect(readFileSync(join(folder, "count"), "utf8")).toBe("6\n");
    await worker.close();
  });

  it("runs on the host what the rules of placement keep there, and what concerns the session", async () => {
    const worker = await work("stay");
    await using haft = await open("stay", {
      queue: { url: redis.url, name: "stay", placement: [{ tool: "Glob", on: "host" }] },
    });
    expect((await haft.call("Glob", { pattern: "*.txt", path: folder })).error).toBeUndefined();
    const todos = [{ content: "a", status: "pending", activeForm: "doing a" }];
    expect((await haft.call("TodoWrite", { todos })).error).toBeUndefined();
    expect(worker.info().done).toBe(0);
    await worker.close();
    await using alone = await open("alone", { queue: { url: redis.url, name: "alone", withoutWorker: "host" } });
    expect((await alone.call("Glob", { pattern: "*.txt", path: folder })).error).toBeUndefined();
  });

  it("waits while Redis is away, and says so when Redis is full", async () => {
    await using own = await startRedis();
    const queue = { url: own.url };
    const worker = await work("default", { url: own.url });
    await using haft = await open("default", { queue });
    const begun = Promise.withResolvers<void>();
    const running = haft.call(
      "Bash",
      { command: "echo begun; sleep 0.4; echo done" },
      { onUpdate: ({ output }) => output?.includes("begun") && begun.resolve() },
    );
    writeFileSync(join(folder, "a.txt"), "a\n");
    await begun.promise;
    await own.kill();
    await own.restart();
    expect(JSON.stringify((await running).content)).toContain("done");
    await own.configure("maxmemory", "1");
    const full = await haft.call("Read", { file_path: join(folder, "a.txt") });
    expect(full.error?.message).toMatch(/^Redis is full/);
    expect(await queueFindings(own.url)).toMatchObject([{ cure: expect.stringContaining("Redis is full") }]);
    await own.configure("maxmemory", "0");
    expect((await haft.call("Read", { file_path: join(folder, "a.txt") })).error).toBeUndefined();
    await worker.close();
  });

  it.each([
    [
      "no Redis",
      "redis://127.0.0.1:1",
      /There is no Redis at redis:\/\/127.0.0.1:1.*ECONNREFUSED/,
      /redis-server --appendonly yes/,
    ],
    ["another address", "http://127.0.0.1", /is not the address of a queue/, /redis:\/\/HOST:PORT/],
  ])("refuses to start with %s, and names the cure", async (_, url, message, hint) => {
    const failed = await open("x", { queue: { url } }).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ message: expect.stringMatching(message), hint: expect.stringMatching(hint) });
  });

  it("refuses a wrong password, a missing key and a key that others may read", async () => {
    await using own = await startRedis("--requirepass", "right");
    const start = async (url: string, more: object = {}) =>
      open("x", { queue: { url, ...more } }).catch((thrown: Error) => thrown.message);
    expect(await start(`redis://:wrong@127.0.0.1:${own.port}`)).toMatch(/refuses the login.*WRONGPASS/);
    expect(await start(own.url)).toMatch(/refuses the login.*NOAUTH/);
    const noKey = await open("x", { env: { ...env, HAFT_QUEUE_KEY: "" } }).catch((thrown: Error) => thrown.message);
    expect(noKey).toMatch(/The queue has no key/);
    const file = join(home, "key");
    writeFileSync(file, KEY, { mode: 0o644 });
    expect(await start(redis.url, { keyFile: file })).toMatch(/Other users can read the key file/);
  });

  it("is in the report of `haft doctor`, with what is wrong with the queue", async () => {
    const [alone] = await queueFindings(redis.url);
    expect(alone).toMatchObject({ name: "queue", status: "missing", cure: expect.stringContaining("haft worker") });
    const worker = await work("default");
    expect(await queueFindings(redis.url)).toMatchObject([
      { status: "ok", detail: expect.stringContaining("1 worker,") },
    ]);
    await worker.close();
    expect(await queueFindings("redis://127.0.0.1:1")).toMatchObject([{ status: "broken" }]);
    expect(await queueFindings(undefined)).toEqual([]);
  });
});
