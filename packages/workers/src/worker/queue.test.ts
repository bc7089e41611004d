import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DispatchContext, DispatchedResult } from "@haft/core/executor";
import { type Effect, HaftError, read, write } from "@haft/core/tool";
import { Queue } from "bullmq";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { type HostOptions, type OutgoingCall, openQueueHost } from "../host/open-host.ts";
import { argumentsDigest, CONTRACT, digestOf, type Job } from "../job/job.ts";
import { retryOf } from "../job/retry.ts";
import { seal } from "../job/seal.ts";
import { connect } from "../redis/connect.ts";
import { namesOf } from "../redis/names.ts";
import { queueOf } from "../redis/roster.ts";
import { openQueueWorker, type WorkerOptions } from "./open-worker.ts";

const KEY = "k".repeat(64);
const env = { HAFT_QUEUE_KEY: KEY };
const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-queue-")));
const textOf = ({ result }: DispatchedResult): string => JSON.stringify(result.content);

describe.runIf(hasRedis)("a queue", () => {
  let redis: TestRedis;
  let count = 0;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(closing.splice(0).map((close) => close()));
  });
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
  });

  async function worker(name: string, more: Partial<WorkerOptions> = {}) {
    const ran: string[] = [];
    const said: string[] = [];
    const opened = await openQueueWorker({
      ...{ url: redis.url, name, env, workspaces: [folder], tools: ["Echo"], journal: "j", version: "1" },
      onMessage: (message) => said.push(message),
      async run({ input }) {
        ran.push(String(input));
        return { result: { content: [{ type: "text", text: `ran ${input}` }] }, shown: [] };
      },
      ...more,
    });
    closing.push(() => opened.close());
    return { ...opened, ran, said };
  }

  async function host(name: string, more: Partial<HostOptions> = {}) {
    const session = `s${count++}`;
    const opened = await openQueueHost({ url: redis.url, name, session, isResumed: false, env, checkMs: 100, ...more });
    closing.push(() => opened.close());
    const effects: readonly Effect[] = [read(folder)];
    const send = (input: string, out: Partial<OutgoingCall> = {}, context: Partial<DispatchContext> = {}) => {
      const call: OutgoingCall = {
        ...{
          call: { id: `c${count++}`, tool: "Echo", batch: "b", turn: 1 },
          agent: { id: "main" },
          tool: "Echo",
          input,
        },
        ...{ cwd: folder, effects, retry: retryOf(out.effects ?? effects), seen: [], tickets: [] },
        policy: { digest: digestOf("{}"), text: "{}" },
        ...out,
      };
      const needs = opened.needs(call)!;
      return opened.send(call, needs, {
        ...{ signal: new AbortController().signal, progress: () => {}, ask: async () => ({}) },
        ...context,
      });
    };
    return { ...opened, send };
  }

  /** Somebody who can write to Redis. */
  async function attacker(name: string, info: Parameters<typeof queueOf>[0]) {
    const connection = await connect(redis.url);
    const queue = new Queue(queueOf(info), { connection, prefix: namesOf(name).prefix, skipVersionCheck: true });
    closing.push(async () => {
      await queue.close();
      connection.disconnect();
    });
    await connection.set(namesOf(name).policy(digestOf("{}")), JSON.stringify(seal(Buffer.from(KEY), "policy", "{}")));
    return { queue, connection };
  }

  const jobOf = (id: string, more: Partial<Job> = {}): Job => {
    const base = { tool: "Echo", input: "evil", cwd: folder, policy: digestOf("{}") };
    return {
      ...base,
      ...{ contract: CONTRACT, id, attempt: 1, retry: "once", reply: "nobody", tenant: "default", session: "x" },
      ...{ call: { id, tool: "Echo", batch: "b", turn: 1 }, agent: { id: "main" }, effects: [], seen: [], tickets: [] },
      ...{ digest: argumentsDigest(base), issuedAt: Date.now(), expiresAt: Date.now() + 60_000 },
      ...more,
    };
  };

  const problem = async (promise: Promise<unknown>): Promise<HaftError> => {
    const thrown = await promise.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(HaftError.is(thrown)).toBe(true);
    return thrown as HaftError;
  };

  it("refuses forged, changed, copied and repeated jobs", async () => {
    const { ran, said, info } = await worker("forged");
    const { queue } = await attacker("forged", info());
    const key = Buffer.from(KEY);
    const good = seal(key, "job", jobOf("good"));
    await queue.add("call", seal(Buffer.from("x".repeat(64)), "job", jobOf("a")), { jobId: "a" });
    await queue.add("call", { ...good, body: good.body.replace("evil", "worse") }, { jobId: "good" });
    await queue.add("call", good, { jobId: "copy" });
    await queue.add("call", seal(key, "reply", jobOf("b")), { jobId: "b" });
    await queue.add("call", seal(key, "job", jobOf("c", { input: "other" })), { jobId: "c" });
    await vi.waitFor(() => expect(said).toHaveLength(5), 5_000);
    expect(said.join("\n")).toMatch(/signature is wrong/);
    expect(said.join("\n")).toMatch(/a copy of good under the id copy/);
    expect(said.join("\n")).toMatch(/arguments are not those/);
    expect(ran).toEqual([]);
    await queue.add("call", seal(key, "job", jobOf("once")), { jobId: "once", removeOnComplete: true });
    await vi.waitFor(() => expect(ran).toEqual(["evil"]), 5_000);
    await vi.waitFor(async () => expect(await queue.getJob("once")).toBeUndefined(), 5_000);
    await queue.add("call", seal(key, "job", jobOf("once")), { jobId: "once" });
    await vi.waitFor(() => expect(said.at(-1)).toMatch(/already started/), 5_000);
    expect(ran).toEqual(["evil"]);
  });

  it.each([
    ["an expired job", { issuedAt: Date.now() - 120_000, expiresAt: Date.now() - 60_000 }, /too late/],
    [
      "a job from the future",
      { issuedAt: Date.now() + 600_000, expiresAt: Date.now() + 700_000 },
      /clock that is ahead/,
    ],
    ["a job of a newer contract", { contract: CONTRACT + 1 }, /needs 2/],
    ["a job for a folder that it does not have", { cwd: "/elsewhere" }, /does not have the folder \/elsewhere/],
    ["a job whose rules are gone", { policy: "f".repeat(64) }, /rules of the call are not in Redis/],
  ])("refuses %s, and says so", async (title, more, expected) => {
    const name = `refused${count++}`;
    const { ran, said, info } = await worker(name);
    const { queue } = await attacker(name, info());
    const job = { ...jobOf("j"), ...more };
    const sealed = seal(Buffer.from(KEY), "job", { ...job, digest: argumentsDigest(job) });
    await queue.add(title, sealed, { jobId: "j" });
    await vi.waitFor(() => expect(said.join()).toMatch(expected), 5_000);
    expect(ran).toEqual([]);
  });

  it("refuses a job that is too large, on both sides", async () => {
    const { ran, said, info } = await worker("large", { maxJobBytes: 2_000 });
    const { send } = await host("large", { maxJobBytes: 2_000 });
    const error = await problem(send("x".repeat(3_000)));
    expect(error).toMatchObject({ code: "limit_reached" });
    expect(error.message).toMatch(/a job on the queue may have 2000. It was not sent/);
    const { queue } = await attacker("large", info());
    await queue.add("call", seal(Buffer.from(KEY), "job", jobOf("l", { input: "y".repeat(3_000) })), { jobId: "l" });
    await vi.waitFor(() => expect(said.join()).toMatch(/2000 are allowed/), 5_000);
    expect(ran).toEqual([]);
  });

  it("works although the clocks of the machines differ", async () => {
    await worker("skew");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    const { send } = await host("skew");
    expect(textOf(await send("late"))).toContain("ran late");
  });

  it("says which worker is missing when none has the folder or the label", async () => {
    await worker("placed", { labels: ["gpu"] });
    const here = await host("placed", { startWithinMs: 300, placement: [{ tool: "Echo", on: ["browser"] }] });
    const error = await problem(here.send("x"));
    expect(error).toMatchObject({ code: "tool_unavailable" });
    expect(error.message).toMatch(/None of 1 workers has the label browser/);
    expect(error.hint).toMatch(/haft worker --queue … --workspace .* --label browser/);
    const elsewhere = await problem(here.send("x", { cwd: "/nowhere" }));
    expect(elsewhere.message).toMatch(/the workspace \/nowhere/);
  });

  it("prefers workers without labels that a call does not need", async () => {
    const [gpu, plain] = [await worker("labels", { labels: ["gpu"] }), await worker("labels")];
    const { send } = await host("labels", { placement: [{ tool: "Gpu", on: ["gpu"] }] });
    await send("1");
    expect([gpu.ran, plain.ran]).toEqual([[], ["1"]]);
  });

  it("passes large results through the store, and keeps what it can when the store is down", async () => {
    const long = async () => ({
      result: { content: [{ type: "text" as const, text: "y".repeat(60_000) }] },
      shown: [],
    });
    const store = join(folder, "store");
    await worker("store", { store, storeAbove: 1_000, run: long });
    const here = await host("store", { store });
    expect(textOf(await here.send("x"))).toHaveLength(
      JSON.stringify([{ type: "text", text: "y".repeat(60_000) }]).length,
    );
    writeFileSync(join(folder, "no-folder"), "");
    await worker("down", { store: join(folder, "no-folder"), storeAbove: 1_000, run: long });
    const other = await host("down", { store: join(folder, "no-folder") });
    expect(textOf(await other.send("x"))).toMatch(
      /y{30000}.*The rest of 60000 characters was not kept: .*The call itself has run/,
    );
  });

  it("gives one session to one host", async () => {
    await host("claim", { session: "mine" });
    const error = await problem(
      openQueueHost({ url: redis.url, name: "claim", session: "mine", isResumed: true, env }),
    );
    expect(error).toMatchObject({ code: "conflict" });
    expect(error.message).toMatch(/The session mine is open on .* \(process \d+\)/);
  });

  it("finds a result although the channel was cut", async () => {
    const gate = Promise.withResolvers<void>();
    await worker("cut", {
      async run() {
        await gate.promise;
        return { result: { content: [{ type: "text", text: "found" }] }, shown: [] };
      },
    });
    const { send, workers } = await host("cut");
    const answer = send("x");
    await vi.waitFor(async () => expect((await workers()).length).toBe(1), 5_000);
    const admin = await connect(redis.url);
    // All that wait for messages are cut off just before the message comes.
    const cut = admin.client("KILL", "TYPE", "PUBSUB");
    gate.resolve();
    await cut;
    admin.disconnect();
    expect(textOf(await answer)).toContain("found");
  });

  it("cancels a call on its worker", async () => {
    const stopped = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    await worker("cancel", {
      async run(_job, _policy, { signal }) {
        started.resolve();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        stopped.resolve();
        throw new HaftError({ code: "cancelled", message: "stopped" });
      },
    });
    const { send } = await host("cancel");
    const controller = new AbortController();
    const answer = send("x", {}, { signal: controller.signal });
    await started.promise;
    controller.abort(new Error("enough"));
    await stopped.promise;
    expect((await answer).result.error).toMatchObject({ code: "cancelled" });
  });

  it("asks the caller, and reports progress", async () => {
    await worker("ask", {
      async run(_job, _policy, { ask, progress }) {
        progress({ output: "half" });
        const { message } = await ask({ title: "More?", show: { kind: "text", text: "more" } });
        return { result: { content: [{ type: "text", text: `they said ${message}` }] }, shown: [] };
      },
    });
    const { send } = await host("ask");
    const heard: unknown[] = [];
    const answer = await send(
      "x",
      {},
      { progress: (update) => heard.push(update), ask: async () => ({ message: "yes" }) },
    );
    expect(textOf(answer)).toContain("they said yes");
    expect(heard).toEqual([{ output: "half" }]);
  });

  it("moves calls to other workers when one is drained", async () => {
    const [first] = [await worker("drain")];
    const { send } = await host("drain");
    await send("1");
    await first.drain();
    expect(first.info().draining).toBe(true);
    const waiting = send("2");
    const second = await worker("drain");
    await waiting;
    expect([first.ran, second.ran]).toEqual([["1"], ["2"]]);
  });

  it("limits calls of a tool over all hosts", async () => {
    let running = 0;
    let most = 0;
    await worker("limits", {
      concurrency: 8,
      async run() {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running--;
        return { result: { content: [] }, shown: [] };
      },
    });
    const limits = [{ tool: "Echo", concurrent: 2 }];
    const [a, b] = [await host("limits", { limits }), await host("limits", { limits })];
    await Promise.all([a.send("1"), a.send("2"), a.send("3"), b.send("4"), b.send("5"), b.send("6")]);
    expect(most).toBeLessThanOrEqual(2);
  });

  it.each([
    ["reads", [read(folder)], { code: "ok" }],
    ["writes", [write(join(folder, "f"))], { code: "ok" }],
    ["commands", [{ do: "unknown", basis: "enforced", why: "a script" }], { code: "outcome_unknown" }],
  ] as const)("repeats %s of a lost worker only if nothing can be doubled", async (_, effects, { code }) => {
    const name = `lost${count++}`;
    const started = Promise.withResolvers<string>();
    const first = await worker(name, {
      heartbeatMs: 100,
      run({ id }, _policy, { signal }) {
        started.resolve(id);
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const { send } = await host(name);
    const answer = send("x", { effects });
    await started.promise;
    const second = await worker(name);
    // Its heart stops.
    const connection = await connect(redis.url);
    const stop = setInterval(() => void connection.del(namesOf(name).worker(first.id)).catch(() => {}), 20);
    const end = await answer.then(
      () => ({ code: "ok", message: "" }),
      (thrown: HaftError) => thrown,
    );
    clearInterval(stop);
    connection.disconnect();
    expect(end.code).toBe(code);
    expect(second.ran).toEqual(code === "ok" ? ["x"] : []);
    if (code !== "ok") expect(end.message).toMatch(/Unknown outcome: verify with/);
  });
});
