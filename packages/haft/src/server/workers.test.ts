import { afterEach, describe, expect, it } from "vitest";
import { hasRedis, startRedis } from "../../../../test/support/redis-server.ts";
import { type TestServer, testServer } from "../../test/support/console-server.ts";
import { scriptedModel } from "../../test/support/scripted-model.ts";
import { startWorker } from "../worker/index.ts";

const KEY = "k".repeat(64);

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

it("says why there are no workers where no queue is configured", async () => {
  server = await testServer(scriptedModel([]));
  expect(await server.ask("GET", "/api/about")).toMatchObject({ hasQueue: false });
  expect(await server.ask("GET", "/api/workers")).toEqual({ why: expect.stringContaining("No queue is configured") });
});

it("names the cure when the queue does not answer, and keeps its password to itself", async () => {
  const env = { HAFT_QUEUE: "redis://:hunter2@127.0.0.1:1" };
  server = await testServer(scriptedModel([]), { session: { env } });
  expect(await server.ask("GET", "/api/about")).toMatchObject({ hasQueue: true });
  const answer = await server.ask("GET", "/api/workers");
  expect(answer).toMatchObject({ error: { code: "tool_unavailable", hint: expect.stringContaining("redis-server") } });
  expect(JSON.stringify(answer)).not.toContain("hunter2");
});

describe.runIf(hasRedis)("with a queue", () => {
  it("shows the queue with its workers, their heartbeats and the latest events", async () => {
    await using redis = await startRedis();
    const env = { HAFT_QUEUE_KEY: KEY };
    server = await testServer(scriptedModel([]), {
      session: { env, queue: { url: redis.url, name: "page" }, mode: "bypassPermissions", settings: false },
    });
    server.write("a.txt", "hello\n");
    const worker = await startWorker({
      ...{ url: redis.url, name: "page", workspaces: [server.cwd], labels: ["gpu"], version: "test" },
      haft: { withoutUserSettings: true, home: server.base, stateDir: `${server.base}/worker`, env },
    });
    const { id } = await server.ask("POST", "/api/sessions", {});
    const call = { toolId: "Read", arguments: { file_path: "a.txt" } };
    expect(await server.ask("POST", `/api/sessions/${id}/calls`, call)).toMatchObject({ success: true });
    const look = () => server.ask("GET", "/api/workers");
    const own = { labels: ["gpu"], workspaces: [server.cwd], concurrency: 4, silentMs: expect.any(Number) };
    expect(await look()).toMatchObject({
      queue: { address: `127.0.0.1:${redis.port}`, name: "page", isUsed: true },
      report: { waiting: 0, workers: [{ ...own, draining: false }], redis: { persistent: true } },
    });
    await expect.poll(async () => JSON.stringify(await look())).toMatch(/"is":"ended","worker":"[^"]+","tool":"Read"/);
    await worker.drain();
    expect(await look()).toMatchObject({ report: { workers: [{ ...own, draining: true }] } });
    await worker.close();
    expect(await look()).toMatchObject({ report: { workers: [] } });
  });
});
