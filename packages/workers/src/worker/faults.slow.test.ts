import { connect as connects, type HaftError, read } from "@haft/core/tool";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { lineTo } from "../../test/line-to-redis.ts";
import { closeAll, env, folder, host, problem, textOf, worker } from "../../test/queue-harness.ts";
import { drainWorker, reportQueue, watchQueue } from "../host/admin.ts";
import { CONTRACT } from "../job/job.ts";
import { connect } from "../redis/connect.ts";
import { namesOf } from "../redis/names.ts";
import { announce } from "../redis/roster.ts";

const COMMAND = { do: "unknown", basis: "enforced", why: "a script" } as const;

describe.runIf(hasRedis)("a queue with faults", () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(closeAll);
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
  });

  it.each([
    ["a command", [COMMAND], "outcome_unknown", 1],
    ["a read", [read(folder)], "ok", 2],
  ] as const)(
    "ends %s of a worker that a partition cuts off, and doubles no effect",
    async (title, effects, code, runs) => {
      const name = `cut ${title}`;
      const line = await lineTo(redis);
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const ran: string[] = [];
      await worker(redis, name, {
        ...{ url: line.url, heartbeatMs: 60, concurrency: 1 },
        async run() {
          ran.push("cut off");
          begun.resolve();
          await gate.promise;
          return { result: { content: [{ type: "text", text: "late" }] }, shown: [] };
        },
      });
      const { send } = await host(redis, name);
      const answer = send("x", { effects: [...effects] });
      await begun.promise;
      line.cut();
      const other = await worker(redis, name);
      const end = await answer.then(
        (result) => ({ code: "ok", text: textOf(result) }),
        (thrown: HaftError) => ({ code: thrown.code, text: thrown.message }),
      );
      expect(end.code).toBe(code);
      expect(end.text).toMatch(
        code === "ok" ? /ran x/ : /was lost during this call of .* Unknown outcome: verify with/,
      );
      // It comes back, and its late result changes nothing.
      line.mend();
      gate.resolve();
      const { redis: facts } = await reportQueue({ url: redis.url, name });
      expect(facts.version).toMatch(/^\d/);
      expect([...ran, ...other.ran]).toHaveLength(runs);
      line.close();
    },
  );

  it("brings a result to its host although Redis has become full, and stores it when there is room", async () => {
    const own = await startRedis();
    const [begun, gate] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    await worker(own, "full", {
      async run({ id }) {
        begun.resolve(id);
        await gate.promise;
        return { result: { content: [{ type: "text", text: "done" }] }, shown: [] };
      },
    });
    const { send } = await host(own, "full");
    const answer = send("x", { effects: [COMMAND] });
    const job = await begun.promise;
    await own.configure("maxmemory", "1");
    gate.resolve();
    expect(textOf(await answer)).toContain("done");
    const next = await problem(send("y"));
    expect(next).toMatchObject({ code: "limit_reached", message: expect.stringMatching(/Redis is full/) });
    await own.configure("maxmemory", "0");
    const connection = await connect(own.url);
    await vi.waitFor(async () => expect(await connection.get(namesOf("full").result(job))).toContain("done"), 10_000);
    connection.disconnect();
    await closeAll();
    await own[Symbol.asyncDispose]();
  });

  it("sends nothing to a worker of an older version, and says so", { tags: ["smoke"] }, async () => {
    const connection = await connect(redis.url);
    const old = { ...(await worker(redis, "another")).info(), id: "old", contract: CONTRACT - 1 };
    await announce(connection, namesOf("old"), old, 60_000);
    const { send } = await host(redis, "old", { startWithinMs: 300 });
    const error = await problem(send("x"));
    connection.disconnect();
    expect(error).toMatchObject({ code: "tool_unavailable" });
    expect(error.message).toMatch(/None of 1 workers .*1 of an older version.*was not started/);
  });

  it("has a log of what its workers do", async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { is } of watchQueue({ url: redis.url, name: "log" }, controller.signal)) seen.push(is);
    })();
    const one = await worker(redis, "log", {
      async run({ input }) {
        if (input === "bad") throw new Error("no");
        return { result: { content: [] }, shown: [] };
      },
    });
    const { send } = await host(redis, "log");
    await send("good");
    await send("bad");
    await one.drain();
    const { events } = await reportQueue({ url: redis.url, name: "log" });
    expect(events.map(({ is }) => is)).toEqual(["joined", "ended", "failed", "draining"]);
    expect(events[1]).toMatchObject({ worker: one.id, tool: "Echo", session: expect.any(String) });
    await vi.waitFor(() => expect(seen.at(-1)).toBe("draining"), 5_000);
    controller.abort();
    await watching;
  });

  it("sends no call that connects to a worker without network", async () => {
    const closed = await worker(redis, "offline", { labels: ["no-network"] });
    const { send } = await host(redis, "offline", { startWithinMs: 300 });
    await send("reads");
    const error = await problem(send("connects", { effects: [connects("example.com")] }));
    expect(error.message).toMatch(
      /None of 1 workers .*1 with the label no-network, and the call needs the network.*was not started/,
    );
    const open = await worker(redis, "offline");
    await send("connects", { effects: [connects("example.com")] });
    expect([closed.ran, open.ran]).toEqual([["reads"], ["connects"]]);
  });

  it("drains a worker on a signed order: it ends its calls and takes no new ones", async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const old = await worker(redis, "rolling", {
      async run() {
        begun.resolve();
        await gate.promise;
        return { result: { content: [{ type: "text", text: "of the old one" }] }, shown: [] };
      },
    });
    const { send } = await host(redis, "rolling");
    const running = send("x", { effects: [COMMAND] });
    await begun.promise;
    const wrong = { HAFT_QUEUE_KEY: "x".repeat(64) };
    expect(await drainWorker(old.id, { url: redis.url, name: "rolling", env: wrong })).toBe(true);
    expect(await drainWorker("nobody", { url: redis.url, name: "rolling", env })).toBe(false);
    expect(old.info().draining).toBe(false);
    expect(await drainWorker(old.id, { url: redis.url, name: "rolling", env })).toBe(true);
    await vi.waitFor(() => expect(old.info().draining).toBe(true), 5_000);
    const fresh = await worker(redis, "rolling");
    await send("y", { effects: [COMMAND] });
    expect(fresh.ran).toEqual(["y"]);
    gate.resolve();
    expect(textOf(await running)).toContain("of the old one");
    await old.ended;
  });
});
