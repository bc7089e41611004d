import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { createHaft } from "../app/create-haft.ts";
import type { HaftOptions } from "../app/haft.ts";
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
});
