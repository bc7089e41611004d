import { mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { S3_ENV, startS3, type TestS3 } from "../../../../test/support/s3-server.ts";
import { createHaft } from "../app/create-haft.ts";
import { startWorker } from "./index.ts";

const LINES = 2_000;

describe.runIf(hasRedis)("results above the limit", () => {
  let redis: TestRedis;
  let s3: TestS3;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-results-")));
  const home = realpathSync(mkdtempSync(join(tmpdir(), "haft-results-home-")));
  const env = { ...process.env, ...S3_ENV, HAFT_QUEUE_KEY: "k".repeat(64) };

  /** Prints many lines on a worker. Host and worker may have different keys of the store. */
  async function printed(
    name: string,
    store: string | undefined,
    { workerEnv = env, beforeCall = () => {}, lines = LINES } = {},
  ) {
    const base = { withoutUserSettings: true, stateDir: join(home, name), home, env } as const;
    const queue = { url: redis.url, name, ...(store === undefined ? {} : { store }) };
    const haft = { ...base, env: workerEnv };
    const worker = await startWorker({ ...queue, workspaces: [folder], version: "test", storeAbove: 4_000, haft });
    await using host = await createHaft({ ...base, cwd: folder, mode: "bypassPermissions", queue });
    beforeCall();
    const { content, error } = await host.call("Bash", { command: `seq -f 'line %.0f' ${lines}` });
    await worker.close();
    return { text: content.map((part) => (part.type === "text" ? part.text : "")).join(""), error };
  }

  beforeAll(async () => {
    [redis, s3] = await Promise.all([startRedis(), startS3("results")]);
  });
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
    await s3?.[Symbol.asyncDispose]();
  });

  it.each([
    ["a folder", () => join(home, "shared")],
    ["a bucket", () => `s3://results/haft?endpoint=${s3.endpoint}`],
  ])("go through %s", async (title, store) => {
    const { text, error } = await printed(title.slice(2), store());
    expect(error).toBeUndefined();
    expect(text).toContain(`line ${LINES}`);
    if (title === "a bucket") expect([...s3.objects.keys()][0]).toMatch(/^\/results\/haft\/\w+-1\.json$/);
  });

  it("stay on the worker when the store is down, and the result says where", async () => {
    s3.down = true;
    const { text, error } = await printed("down", `s3://results?endpoint=${s3.endpoint}`);
    s3.down = false;
    expect(error).toBeUndefined();
    const [, path = ""] = /the result store is down. All of it is in (\S+\.json) on the worker/.exec(text) ?? [];
    expect(readFileSync(path, "utf8")).toContain(`line ${LINES}`);
  });

  it("keep their end without a store, and say first that a part is missing", async () => {
    const { text } = await printed("none", undefined, { lines: 200_000 });
    expect(text).toMatch(/^\[Only the first [\d,]+ and the last [\d,]+ of [\d,]+ characters came from the worker: /);
    expect(text).toContain("line 200000");
    expect(text).not.toContain("The whole result is in");
  });

  it("are named by the error when the host cannot read them", async () => {
    const hostOnly = { ...env, AWS_SECRET_ACCESS_KEY: "wrong" };
    const base = { withoutUserSettings: true, stateDir: join(home, "keys"), home } as const;
    const queue = { url: redis.url, name: "keys", store: `s3://results/keys?endpoint=${s3.endpoint}` };
    const start = { ...queue, workspaces: [folder], version: "test", storeAbove: 4_000, haft: { ...base, env } };
    const worker = await startWorker(start);
    await using host = await createHaft({ ...base, env: hostOnly, cwd: folder, mode: "bypassPermissions", queue });
    const { error } = await host.call("Bash", { command: `seq -f 'line %g' ${LINES}` });
    await worker.close();
    expect(error?.message).toMatch(/The call has run, but its result cannot be read .* SignatureDoesNotMatch/);
    const [, name = ""] = /\/results\/keys\/([\w-]+\.json)/.exec(error?.hint ?? "") ?? [];
    expect(s3.objects.get(`/results/keys/${name}`)?.toString()).toContain(`line ${LINES}`);
  });
});
