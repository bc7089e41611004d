import { createSecretKey } from "node:crypto";
import { type Effect, read } from "@haft/core/tool";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { lineTo } from "../../test/line-to-redis.ts";
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
  worker,
} from "../../test/queue-harness.ts";
import { openQueueHost } from "../host/open-host.ts";
import { sign } from "../job/signature.ts";
import { namesOf } from "../redis/names.ts";

const COMMAND = { do: "unknown", basis: "enforced", why: "a script" } as const;

describe.runIf(hasRedis)("a queue with outages", { timeout: 60_000 }, () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(closeAll);
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
  });

  it("runs a call once although the line breaks while its worker marks it as started", async () => {
    const line = await lineTo(redis);
    const { ran } = await worker(redis, "resent", { url: line.url });
    const { send } = await host(redis, "resent", { placement: [{ tool: "Echo", on: [] }] });
    const lost = line.lose(/SET\r\n\$\d+\r\nhaft:resent:started:/i);
    // Such a call comes to its worker alone, not through the queue.
    const effects: readonly Effect[] = [{ do: "state", of: "browser", change: true, basis: "enforced" }];
    expect(textOf(await send("x", { effects }))).toContain("ran x");
    await lost;
    expect(ran).toEqual(["x"]);
    line.close();
  });

  it.each([
    ["it waits", /:prioritized\r\n/, ["x"]],
    ["it ends another one", /returnvalue/, ["y", "x"]],
  ] as const)(
    "runs a call once although the line breaks while its worker gets it, as %s",
    {
      tags: ["smoke"],
    },
    async (title, commands, inputs) => {
      const line = await lineTo(redis);
      const gate = Promise.withResolvers<void>();
      const ran: string[] = [];
      const { info } = await worker(redis, title, {
        ...{ url: line.url, heartbeatMs: Math.ceil(patience(60)), concurrency: 1 },
        async run({ input }) {
          ran.push(String(input));
          if (input === "y") await gate.promise;
          return { result: { content: [{ type: "text", text: `ran ${input}` }] }, shown: [] };
        },
      });
      const { send } = await host(redis, title);
      const answers: Promise<unknown>[] = [];
      if (inputs[0] === "y") {
        answers.push(send("y", { effects: [COMMAND] }));
        await vi.waitFor(() => expect(ran).toEqual(["y"]), 5_000);
      }
      const lost = line.lose(commands);
      answers.push(send("x", { effects: [COMMAND] }));
      const { queue } = await attacker(redis, title, info());
      if (inputs[0] === "y") await vi.waitFor(async () => expect(await queue.getWaitingCount()).toBe(1), 5_000);
      gate.resolve();
      await lost;
      await Promise.all(answers);
      expect(ran).toEqual(inputs);
      line.close();
    },
  );

  it("closes while it hears its channel again, and leaves no rejection behind", async () => {
    const unobserved: unknown[] = [];
    const observe = (reason: unknown) => unobserved.push(reason);
    process.on("unhandledRejection", observe);
    const line = await lineTo(redis);
    const { close } = await host(redis, "closed", { url: line.url });
    const lost = line.lose(/subscribe/i);
    const { connection } = await attacker(redis, "closed", (await worker(redis, "closed")).info());
    await connection.client("KILL", "TYPE", "PUBSUB");
    await lost;
    await close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", observe);
    expect(unobserved).toEqual([]);
    line.close();
  });

  it.each([
    ["a command", [COMMAND], "outcome_unknown", /verify with/],
    ["a read", [read(folder)], "tool_unavailable", /It only reads/],
  ] as const)(
    "ends %s whose host a partition cuts off, and takes new calls afterwards",
    async (title, effects, code, said) => {
      const name = `host cut ${title}`;
      const line = await lineTo(redis);
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await worker(redis, name, {
        async run() {
          begun.resolve();
          await gate.promise;
          return { result: { content: [{ type: "text", text: "done" }] }, shown: [] };
        },
      });
      const { send } = await host(redis, name, { url: line.url, startWithinMs: 1_500 });
      const answer = problem(send("x", { effects: [...effects] }));
      await begun.promise;
      line.cut();
      const error = await answer;
      expect(error).toMatchObject({ code });
      expect(error.message).toMatch(said);
      line.mend();
      gate.resolve();
      expect(textOf(await send("y"))).toContain("done");
      line.close();
    },
  );

  it.each([
    ["a command", [COMMAND], "outcome_unknown", /Redis was lost after it took.*verify with/],
    ["a read", [read(folder)], "tool_unavailable", /Redis is gone.*It only reads/],
  ] as const)("ends %s when Redis dies and stays away", async (title, effects, code, said) => {
    const own = await startRedis();
    const begun = Promise.withResolvers<void>();
    await worker(own, title, {
      run(_job, _policy, { signal }) {
        begun.resolve();
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const { send } = await host(own, title, { startWithinMs: 1_000 });
    const answer = problem(send("x", { effects: [...effects] }));
    await begun.promise;
    await own.kill();
    const error = await answer;
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(said);
    await closeAll();
    await own[Symbol.asyncDispose]();
  });

  it("does not start a call while Redis is away, and says so", async () => {
    const own = await startRedis();
    const { ran, said } = await worker(own, "away");
    const { send } = await host(own, "away");
    await own.kill();
    const error = await problem(send("x"));
    expect(error).toMatchObject({ code: "tool_unavailable", hint: expect.stringContaining("Start Redis again") });
    expect(error.message).toMatch(/has not answered for 20 seconds. The call was not started/);
    await own.restart();
    await send("y");
    expect(ran).toEqual(["y"]);
    // Each attempt to connect fails alike, and is told once.
    const told = said.filter((message) => message.includes("ECONNREFUSED"));
    expect(told).toEqual([expect.stringMatching(/^Redis does not answer: .*The worker waits for it.$/)]);
    expect(said).toContain("Redis answers again.");
    await closeAll();
    await own[Symbol.asyncDispose]();
  });

  it("drains an idle worker while Redis is away", { timeout: 20_000 }, async () => {
    const own = await startRedis();
    const { drain } = await worker(own, "idle");
    await own.kill();
    await drain();
    await own[Symbol.asyncDispose]();
  });

  it("starts neither a host nor a worker on a full Redis, and names the cure", async () => {
    const own = await startRedis();
    await own.configure("maxmemory", "1");
    const full = { code: "limit_reached", hint: expect.stringContaining("maxmemory") };
    expect(await problem(host(own, "full"))).toMatchObject(full);
    expect(await problem(worker(own, "full"))).toMatchObject(full);
    await own[Symbol.asyncDispose]();
  });

  it("starts no worker without Redis or with a wrong password, and names the cure", async () => {
    const own = await startRedis("--requirepass", "right");
    const wrong = await problem(worker(own, "login", { url: `redis://:wrong@127.0.0.1:${own.port}` }));
    expect(wrong).toMatchObject({ code: "tool_unavailable", hint: expect.stringContaining("redis://:PASSWORD@") });
    expect(wrong.message).not.toContain("wrong@");
    await own[Symbol.asyncDispose]();
    const down = await problem(worker(own, "login"));
    expect(down).toMatchObject({ code: "tool_unavailable", hint: expect.stringContaining("redis-server") });
  });

  it("hears no answer and no order without a right signature", async () => {
    const [begun, gate] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    const { id, info, ran } = await worker(redis, "spoofed", {
      async run({ id: job }, _policy, { signal }) {
        begun.resolve(job);
        await gate.promise;
        return { result: { content: [{ type: "text", text: signal.aborted ? "stopped" : "real" }] }, shown: [] };
      },
    });
    const { send } = await host(redis, "spoofed", { session: "spoofed" });
    const answer = send("x", { effects: [COMMAND] });
    const job = await begun.promise;
    const { connection } = await attacker(redis, "spoofed", info());
    const names = namesOf("spoofed");
    const wrong = createSecretKey("x".repeat(64), "utf8");
    const lie = { t: "ended", job, result: { result: { content: [{ type: "text", text: "a lie" }] }, shown: [] } };
    for (const text of [sign(wrong, "reply", lie), sign(signingKey, "order", lie), "nonsense"]) {
      await connection.publish(names.reply("spoofed"), text);
      await connection.set(names.result(job), text);
    }
    for (const order of [{ t: "cancel", job }, { t: "drain" }])
      for (const text of [sign(wrong, "order", order), sign(signingKey, "reply", order)])
        await connection.publish(names.orders(id), text);
    gate.resolve();
    expect(textOf(await answer)).toContain("real");
    expect(info().draining).toBe(false);
    expect(ran).toEqual([]);
  });

  it("refuses forged and repeated calls that come to one worker alone", async () => {
    const { id, info, ran, said } = await worker(redis, "direct");
    const { connection } = await attacker(redis, "direct", info());
    const give = (text: string) => connection.publish(namesOf("direct").orders(id), text);
    await give(sign(createSecretKey("x".repeat(64), "utf8"), "job", jobOf("a")));
    await give(sign(signingKey, "job", jobOf("old", { issuedAt: 0, expiresAt: 1 })));
    await give(sign(signingKey, "job", jobOf("once")));
    await give(sign(signingKey, "job", jobOf("once")));
    const times = (words: RegExp) => said.filter((text) => words.test(text)).length;
    await vi.waitFor(() => expect([times(/too late/), times(/already started/)]).toEqual([1, 1]), 20_000);
    // A copy that has expired meanwhile does not pass for a call that never started.
    await give(sign(signingKey, "job", jobOf("once", { issuedAt: 0, expiresAt: 1 })));
    await vi.waitFor(() => expect(times(/already started/)).toBe(2), 20_000);
    expect(await connection.get(namesOf("direct").result("once"))).toContain("ran evil");
    expect(ran).toEqual(["evil"]);
  });

  it("gives one session of a tenant to one host", async () => {
    await host(redis, "claims", { session: "mine", tenant: "a" });
    await host(redis, "claims", { session: "mine", tenant: "b" });
    const error = await problem(
      openQueueHost({ ...{ url: redis.url, name: "claims", session: "mine", tenant: "a" }, isResumed: true, env }),
    );
    expect(error).toMatchObject({ code: "conflict", hint: expect.stringContaining("start another session") });
  });
});
