// The guide "Workers", as a new user follows it.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { patience } from "../../../../../../test/support/patience.ts";
import { hasRedis, startRedis, type TestRedis } from "../../../../../../test/support/redis-server.ts";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";

describe.runIf(hasRedis)("haft worker and haft workers", { timeout: 120_000 }, () => {
  let redis: TestRedis;
  let place: Scratch;
  beforeEach(async () => {
    redis = await startRedis();
    place = scratch();
  });
  afterEach(async () => {
    place[Symbol.dispose]();
    await redis[Symbol.asyncDispose]();
  });

  it("make a key, take a call, show it, and drain", { tags: ["smoke"] }, async () => {
    const key = join(place.env.HOME!, "queue.key");
    const on = ["--queue", redis.url];
    expect((await place.haft(["workers", "key", key])).code).toBe(0);
    expect((await place.haft(["workers", "key", key])).stderr).toContain("Name a file that does not exist.");
    const worker = place.start(["worker", ...on, "--key-file", key, "--workspace", ".", "--label", "gpu"]);
    let said = "";
    worker.stderr.on("data", (text: Buffer) => {
      said += text;
    });
    await vi.waitFor(() => expect(said).toMatch(/takes calls for .*work \(gpu\)/), patience(10_000));
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    const call = ["call", "Bash", '{"command": "echo $((40 + 2)) > a.txt; cat a.txt"}', "--allow", "Bash"];
    expect((await place.haft([...call, ...on, "--key-file", key])).stdout).toContain("42");
    const workers = async () => JSON.parse((await place.haft(["workers", ...on, "--json"])).stdout).workers;
    await expect.poll(workers, { timeout: 60_000 }).toMatchObject([{ labels: ["gpu"], done: 1 }]);
    const [{ id }] = await workers();
    const drain = ["workers", "drain", id, ...on];
    expect((await place.haft(drain)).stderr).toContain("The queue has no key");
    expect((await place.haft([...drain, "--key-file", key])).stdout).toContain("takes no new calls");
    expect(await ended).toBe(0);
    expect(said).toContain("draining: finishes its calls");
    expect((await place.haft(["workers", ...on])).stdout).toMatch(
      /0 workers[\s\S]*ran Bash of session[\s\S]*has ended/,
    );
  });

  it("says that agents can read a key in a workspace", async () => {
    writeFileSync(join(place.cwd, "queue.key"), "k".repeat(64), { mode: 0o600 });
    const worker = place.start(["worker", "--queue", redis.url, "--key-file", "queue.key"]);
    let said = "";
    worker.stderr.on("data", (text: Buffer) => {
      said += text;
    });
    await vi.waitFor(() => expect(said).toMatch(/agents can read the key in the workspace/), patience(10_000));
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.kill("SIGINT");
    expect(await ended).toBe(0);
  });

  it("take placement, store and key from one file", async () => {
    const home = place.env.HOME!;
    const key = join(home, "queue.key");
    await place.haft(["workers", "key", key]);
    const file = join(home, "queue.json");
    const placement = [{ command: "train", on: ["gpu"] }];
    const options = { url: redis.url, name: "team", keyFile: "queue.key", store: "results", placement };
    writeFileSync(file, JSON.stringify({ ...options, startWithinMs: 500 }));
    const worker = place.start(["worker", "--queue", file, "--workspace", "."]);
    let said = "";
    worker.stderr.on("data", (text: Buffer) => {
      said += text;
    });
    await vi.waitFor(() => expect(said).toContain("takes calls for"), patience(10_000));
    const bash = (command: string) =>
      place.haft(["call", "Bash", JSON.stringify({ command }), "--allow", "Bash", "--queue", file]);
    expect((await bash("seq 100000")).stdout).toContain("99999");
    expect(readdirSync(join(home, "results"))).toHaveLength(1);
    expect((await bash("train")).stderr).toContain("has the label gpu");
    expect((await place.haft(["workers", "--queue", file])).stdout).toContain("1 worker");
    writeFileSync(file, JSON.stringify({ ...options, placements: [] }));
    expect((await bash("true")).stderr).toMatch(/unknown key "placements"\.[\s\S]*Did you mean "placement"\?/);
    expect((await place.haft(["workers", "--queue", join(home, "none")])).stderr).toMatch(/cannot be read from .*none/);
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.kill("SIGINT");
    expect(await ended).toBe(0);
  });
});
