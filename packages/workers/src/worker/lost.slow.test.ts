import { join } from "node:path";
import { type Effect, type HaftError, read, write } from "@haft/core/tool";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { closeAll, folder, host, unique, worker } from "../../test/queue-harness.ts";
import { queueAdmin } from "../host/admin.ts";
import { connect } from "../redis/connect.ts";
import { namesOf } from "../redis/names.ts";

describe.runIf(hasRedis)("a lost worker", () => {
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

  it("repeats writes of a lost worker, whose view is discarded", { tags: ["smoke"] }, () =>
    lose([write(join(folder, "f"))], "ok"),
  );

  it.each([
    ["reads", [read(folder)], "ok"],
    ["commands", [{ do: "unknown", basis: "enforced", why: "a script" }], "outcome_unknown"],
  ] as const)("repeats %s of a lost worker only if nothing can be doubled", (_, effects, code) => lose(effects, code));

  async function lose(effects: readonly Effect[], code: "ok" | "outcome_unknown"): Promise<void> {
    const name = `lost${unique()}`;
    const started = Promise.withResolvers<string>();
    const first = await worker(redis, name, {
      heartbeatMs: 100,
      run({ id }, _policy, { signal }) {
        started.resolve(id);
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const { send } = await host(redis, name);
    const answer = send("x", { effects });
    await started.promise;
    const second = await worker(redis, name);
    // Its heart stops.
    const connection = await connect(redis.url);
    const stop = setInterval(() => void connection.del(namesOf(name).worker(first.id)).catch(() => {}), 20);
    const end = await answer.then(
      () => ({ code: "ok", message: "" }),
      (thrown: HaftError) => thrown,
    );
    if (code !== "ok")
      await vi.waitFor(async () =>
        expect(await queueAdmin.report({ url: redis.url, name })).toMatchObject({ running: 0 }),
      );
    clearInterval(stop);
    connection.disconnect();
    expect(end.code).toBe(code);
    expect(second.ran).toEqual(code === "ok" ? ["x"] : []);
    if (code !== "ok") expect(end.message).toMatch(/Unknown outcome: verify with/);
  }
});
