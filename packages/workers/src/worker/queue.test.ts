import { createSecretKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { HaftError } from "@haft/core/tool";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import {
  attacker,
  closeAll,
  env,
  folder,
  host,
  jobOf,
  problem,
  signingKey,
  textOf,
  unique,
  worker,
} from "../../test/queue-harness.ts";
import { openQueueHost } from "../host/open-host.ts";
import { argumentsDigest, CONTRACT } from "../job/job.ts";
import { sign } from "../job/signature.ts";
import { connect } from "../redis/connect.ts";
import { namesOf } from "../redis/names.ts";
import { WITHDRAWN } from "../redis/start-mark.ts";

describe.runIf(hasRedis)("a queue", () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await closeAll();
  });
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
  });

  it("refuses forged, changed, copied and repeated jobs", async () => {
    const { ran, said, info } = await worker(redis, "forged");
    const { queue } = await attacker(redis, "forged", info());
    const key = signingKey;
    const good = sign(key, "job", jobOf("good"));
    await queue.add("call", sign(createSecretKey("x".repeat(64), "utf8"), "job", jobOf("a")), { jobId: "a" });
    await queue.add("call", good.replace("evil", "worse"), { jobId: "good" });
    await queue.add("call", good, { jobId: "copy" });
    await queue.add("call", sign(key, "reply", jobOf("b")), { jobId: "b" });
    await queue.add("call", sign(key, "job", jobOf("c", { input: "other" })), { jobId: "c" });
    await vi.waitFor(() => expect(said).toHaveLength(5), 5_000);
    expect(said.join("\n")).toMatch(/signature is wrong/);
    expect(said.join("\n")).toMatch(/a copy of good under the id copy/);
    expect(said.join("\n")).toMatch(/arguments do not match/);
    expect(ran).toEqual([]);
    await queue.add("call", sign(key, "job", jobOf("once")), { jobId: "once", removeOnComplete: true });
    await vi.waitFor(() => expect(ran).toEqual(["evil"]), 5_000);
    await vi.waitFor(async () => expect(await queue.getJob("once")).toBeUndefined(), 5_000);
    await queue.add("call", sign(key, "job", jobOf("once")), { jobId: "once" });
    await vi.waitFor(() => expect(said.at(-1)).toMatch(/already started/), 5_000);
    expect(ran).toEqual(["evil"]);
  });

  it.each([
    ["an expired job", { issuedAt: Date.now() - 120_000, expiresAt: Date.now() - 60_000 }, /too late/],
    ["a job from the future", { issuedAt: Date.now() + 600_000, expiresAt: Date.now() + 700_000 }, /clock is ahead/],
    ["a job of a newer contract", { contract: CONTRACT + 1 }, /needs 2/],
    ["a job for a folder that it does not have", { cwd: "/elsewhere" }, /does not have the folder \/elsewhere/],
    ["a job whose rules are gone", { policy: "f".repeat(64) }, /rules of the call are not in Redis/],
  ])("refuses %s, and says so", async (title, more, expected) => {
    const name = `refused${unique()}`;
    const { ran, said, info } = await worker(redis, name);
    const { queue, connection } = await attacker(redis, name, info());
    const job = { ...jobOf("j"), ...more };
    const signed = sign(signingKey, "job", { ...job, digest: argumentsDigest(job) });
    await queue.add(title, signed, { jobId: "j" });
    await vi.waitFor(() => expect(said.join()).toMatch(expected), 5_000);
    expect(ran).toEqual([]);
    // It does not count as started, and starts nowhere else.
    expect(await connection.get(namesOf(name).started("j"))).toBe(WITHDRAWN);
  });

  it("refuses a job that is too large, on both sides", async () => {
    const { ran, said, info } = await worker(redis, "large", { maxJobBytes: 2_000 });
    const { send } = await host(redis, "large", { maxJobBytes: 2_000 });
    const error = await problem(send("x".repeat(3_000)));
    expect(error).toMatchObject({ code: "limit_reached" });
    expect(error.message).toMatch(/a job on the queue may have 2000. It was not sent/);
    const { queue } = await attacker(redis, "large", info());
    await queue.add("call", sign(signingKey, "job", jobOf("l", { input: "y".repeat(3_000) })), { jobId: "l" });
    await vi.waitFor(() => expect(said.join()).toMatch(/2000 are allowed/), 5_000);
    expect(ran).toEqual([]);
  });

  it("works although the clocks of the machines differ", async () => {
    await worker(redis, "skew");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    const { send } = await host(redis, "skew");
    expect(textOf(await send("late"))).toContain("ran late");
  });

  it("says that no worker has the host's key, and sends none of them a job", async () => {
    const { said } = await worker(redis, "keys");
    const { send } = await host(redis, "keys", { startWithinMs: 300, env: { HAFT_QUEUE_KEY: "o".repeat(64) } });
    const error = await problem(send("x"));
    expect(error).toMatchObject({ code: "tool_unavailable", hint: expect.stringContaining("Copy one key file") });
    expect(error.message).toMatch(/None of 1 workers has the key of this host. The call was not started/);
    expect(said).toEqual([]);
  });

  it("says which worker is missing when none has the folder or the label", async () => {
    await worker(redis, "placed", { labels: ["gpu"] });
    const here = await host(redis, "placed", { startWithinMs: 300, placement: [{ tool: "Echo", on: ["browser"] }] });
    const error = await problem(here.send("x"));
    expect(error).toMatchObject({ code: "tool_unavailable" });
    expect(error.message).toMatch(/None of 1 workers has the label browser/);
    expect(error.hint).toMatch(/haft worker --queue … --workspace .* --label browser/);
    const elsewhere = await problem(here.send("x", { cwd: "/nowhere" }));
    expect(elsewhere.message).toMatch(/the workspace \/nowhere/);
  });

  it("prefers workers without labels that a call does not need", async () => {
    const [gpu, plain] = [await worker(redis, "labels", { labels: ["gpu"] }), await worker(redis, "labels")];
    const { send } = await host(redis, "labels", { placement: [{ tool: "Gpu", on: ["gpu"] }] });
    await send("1");
    expect([gpu.ran, plain.ran]).toEqual([[], ["1"]]);
  });

  it("passes large results through the store, and keeps what it can when the store is down", async () => {
    const long = async () => ({
      result: { content: [{ type: "text" as const, text: "y".repeat(60_000) }] },
      shown: [],
    });
    const store = join(folder, "store");
    await worker(redis, "store", { store, storeAbove: 1_000, run: long });
    const here = await host(redis, "store", { store });
    expect(textOf(await here.send("x"))).toHaveLength(
      JSON.stringify([{ type: "text", text: "y".repeat(60_000) }]).length,
    );
    writeFileSync(join(folder, "no-folder"), "");
    await worker(redis, "down", { store: join(folder, "no-folder"), storeAbove: 1_000, run: long });
    const other = await host(redis, "down", { store: join(folder, "no-folder") });
    expect(textOf(await other.send("x"))).toMatch(
      /Only the first 20,000 of 60,000 characters came from the worker: the result store is down.*The call itself has run.*y{20000}/,
    );
  });

  it("gives one session to one host", async () => {
    await host(redis, "claim", { session: "mine" });
    const error = await problem(
      openQueueHost({ url: redis.url, name: "claim", session: "mine", isResumed: true, env }),
    );
    expect(error).toMatchObject({ code: "conflict" });
    expect(error.message).toMatch(/The session mine is open on .* \(process \d+\)/);
  });

  it("finds a result although the channel was cut", async () => {
    const gate = Promise.withResolvers<void>();
    await worker(redis, "cut", {
      async run() {
        await gate.promise;
        return { result: { content: [{ type: "text", text: "found" }] }, shown: [] };
      },
    });
    const { send, workers } = await host(redis, "cut");
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
    await worker(redis, "cancel", {
      async run(_job, _policy, { signal }) {
        started.resolve();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        stopped.resolve();
        throw new HaftError({ code: "cancelled", message: "stopped" });
      },
    });
    const { send } = await host(redis, "cancel");
    const controller = new AbortController();
    const answer = send("x", {}, { signal: controller.signal });
    await started.promise;
    controller.abort(new Error("enough"));
    await stopped.promise;
    expect((await answer).result.error).toMatchObject({ code: "cancelled" });
  });

  it("does not start a call that was cancelled while it waited for its worker", async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ran: string[] = [];
    await worker(redis, "waits", {
      concurrency: 1,
      async run({ input }) {
        ran.push(String(input));
        begun.resolve();
        await gate.promise;
        return { result: { content: [] }, shown: [] };
      },
    });
    const { send } = await host(redis, "waits");
    const first = send("first");
    await begun.promise;
    const controller = new AbortController();
    const cancelled = send("cancelled", {}, { signal: controller.signal });
    const last = send("last");
    controller.abort(new Error("enough"));
    await expect(cancelled).rejects.toThrow("enough");
    gate.resolve();
    await Promise.all([first, last]);
    expect(ran).toEqual(["first", "last"]);
  });

  it("asks the caller, and reports progress", async () => {
    await worker(redis, "ask", {
      async run(_job, _policy, { ask, progress }) {
        progress({ output: "half" });
        const { message } = await ask({ title: "More?", show: { kind: "text", text: "more" } });
        return { result: { content: [{ type: "text", text: `they said ${message}` }] }, shown: [] };
      },
    });
    const { send } = await host(redis, "ask");
    const heard: unknown[] = [];
    const answer = await send(
      "x",
      {},
      { progress: (update) => heard.push(update), ask: async () => ({ message: "yes" }) },
    );
    expect(textOf(answer)).toContain("they said yes");
    expect(heard).toEqual([{ output: "half" }]);
  });

  it("moves calls to other workers when one is drained, and shows what each did before its heartbeat", async () => {
    const first = await worker(redis, "drain", { heartbeatMs: 600_000 });
    const { send, workers } = await host(redis, "drain");
    await send("1");
    await expect.poll(workers, { timeout: 5_000 }).toMatchObject([{ done: 1, active: 0 }]);
    await first.drain();
    expect(first.info().draining).toBe(true);
    const waiting = send("2");
    const second = await worker(redis, "drain");
    await waiting;
    expect([first.ran, second.ran]).toEqual([["1"], ["2"]]);
  });

  it("limits calls of a tool over all hosts", async () => {
    let running = 0;
    let most = 0;
    await worker(redis, "limits", {
      concurrency: 8,
      async run() {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running--;
        return { result: { content: [] }, shown: [] };
      },
    });
    const limits = [{ tool: "Echo", concurrent: 2 }];
    const [a, b] = [await host(redis, "limits", { limits }), await host(redis, "limits", { limits })];
    await Promise.all([a.send("1"), a.send("2"), a.send("3"), b.send("4"), b.send("5"), b.send("6")]);
    expect(most).toBeLessThanOrEqual(2);
  });

  it("limits the calls of one tenant over all of its hosts, and not those of another", async () => {
    const started: string[] = [];
    const gate = Promise.withResolvers<void>();
    await worker(redis, "tenants", {
      concurrency: 8,
      async run({ input }) {
        started.push(String(input));
        if (input === "a1") await gate.promise;
        return { result: { content: [] }, shown: [] };
      },
    });
    const limits = [{ tenant: "a", concurrent: 1 }];
    const of = (tenant: string) => host(redis, "tenants", { limits, tenant });
    const [one, two, other] = [await of("a"), await of("a"), await of("b")];
    const first = one.send("a1");
    await vi.waitFor(() => expect(started).toEqual(["a1"]));
    const second = two.send("a2");
    await other.send("b1");
    await other.send("b2");
    expect(started).toEqual(["a1", "b1", "b2"]);
    gate.resolve();
    await Promise.all([first, second]);
    expect(started).toEqual(["a1", "b1", "b2", "a2"]);
  });
});
