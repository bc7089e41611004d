import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { closeAll, host, textOf, worker } from "../../test/queue-harness.ts";
import { connect, disconnect } from "../redis/connect.ts";
import { namesOf } from "../redis/names.ts";
import type { WorkerOptions } from "./open-worker.ts";

describe.runIf(hasRedis)("a question of a worker", () => {
  let redis: TestRedis;
  const call = { id: "asking", tool: "Echo", batch: "b", turn: 1 };
  const asker = (name: string, more: Partial<WorkerOptions> = {}) =>
    worker(redis, name, {
      heartbeatMs: 50,
      async run(_job, _policy, { ask }) {
        const { message } = await ask({ title: "More?", show: { kind: "text", text: "more" } });
        return { result: { content: [{ type: "text", text: `they said ${message}` }] }, shown: [] };
      },
      ...more,
    });

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(closeAll);
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
  });

  it("reaches the next host of the session, when the first one has gone", async () => {
    await asker("next");
    const first = await host(redis, "next", { session: "asked" });
    const heard = Promise.withResolvers<void>();
    const nobody = () => {
      heard.resolve();
      return new Promise<never>(() => {});
    };
    void first.send("x", { call }, { ask: nobody }).catch(() => {});
    await heard.promise;
    await first.close();
    const second = await host(redis, "next", { session: "asked", isResumed: true });
    const answer = await second.send("x", { call }, { ask: async () => ({ message: "yes" }) });
    expect(textOf(answer)).toContain("they said yes");
  });

  it("is put to people once, however often the worker repeats it", async () => {
    await asker("once");
    const { send } = await host(redis, "once", { session: "asked" });
    const line = await connect(redis.url);
    let repeated = 0;
    line.on("message", () => repeated++);
    await line.subscribe(namesOf("once").reply("asked"));
    let asked = 0;
    const ask = async () => {
      asked++;
      await vi.waitFor(() => expect(repeated).toBeGreaterThan(3), patience(10_000));
      return { message: "yes" };
    };
    expect(textOf(await send("x", {}, { ask }))).toContain("they said yes");
    expect(asked).toBe(1);
    disconnect(line);
  });

  it("ends with its call when no host has the session open for a while, so that the worker can be drained", async () => {
    const { drain, info } = await asker("gone", { unansweredMs: 200 });
    const { send, close } = await host(redis, "gone");
    void send("x", {}, { ask: () => new Promise<never>(() => {}) }).catch(() => {});
    await vi.waitFor(() => expect(info().active).toBe(1), patience(10_000));
    await close();
    await drain();
    expect(info()).toMatchObject({ active: 0, done: 1 });
  });
});
