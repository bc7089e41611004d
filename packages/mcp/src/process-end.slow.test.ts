import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { friendly, isRunning, mcpBench, rough } from "../test/support/mcp.ts";

/** The stubborn server tells its own id and its child's on standard error. */
async function familyOf(lines: () => readonly string[]): Promise<number[]> {
  await expect.poll(() => lines().some((line) => line.startsWith("family")), { timeout: 10_000 }).toBe(true);
  const [, ...ids] = lines()
    .find((line) => line.startsWith("family"))!
    .split(" ");
  return ids.map(Number);
}

const allGone = (ids: readonly number[]) => async () => !(await Promise.all(ids.map(isRunning))).includes(true);

describe("the end of a server", () => {
  it("Q10 a server that ignores EOF and SIGTERM is gone after close, its children too, one with a session of its own and one without a parent", async () => {
    const bench = mcpBench();
    bench.manager.add(rough("stubborn"));
    await bench.manager.settled();
    const family = await familyOf(() => bench.manager.logs("stubborn"));
    expect(await Promise.all(family.map(isRunning))).toEqual([true, true, true, true]);
    await bench[Symbol.asyncDispose]();
    await expect.poll(allGone(family), { timeout: 2_000 }).toBe(true);
  });

  it("Q10 close waits for one that was replaced just before, and for what is left of one that crashed", async () => {
    const bench = mcpBench();
    const { manager } = bench;
    manager.add(rough("stubborn"));
    manager.add(rough("stubborn", { name: "crashed" }));
    await manager.settled();
    const replaced = await familyOf(() => manager.logs("stubborn"));
    const [leader, inGroup, unknown, marked] = await familyOf(() => manager.logs("crashed"));
    manager.add(friendly({ name: "stubborn" }), { connect: false });
    process.kill(leader!, "SIGKILL");
    await expect.poll(() => manager.list()[1]?.state).toBe("reconnecting");
    // A process that hid every mark of its origin cannot be attributed once its parent is gone.
    process.kill(unknown!, "SIGKILL");
    await bench[Symbol.asyncDispose]();
    expect(await allGone([...replaced, inGroup!, marked!])()).toBe(true);
  });

  it("Q10 the same server is gone after its host was killed with SIGKILL", async () => {
    const script = fileURLToPath(new URL("../test/servers/host.ts", import.meta.url));
    const host = spawn(process.execPath, ["--conditions=haft-source", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said: string[] = [];
    host.stdout.on("data", (chunk: Buffer) => said.push(...chunk.toString().trim().split("\n")));
    const family = await familyOf(() => said);
    expect(await Promise.all(family.map(isRunning))).toEqual([true, true, true, true]);
    host.kill("SIGKILL");
    await expect.poll(allGone(family), { timeout: 5_000 }).toBe(true);
  });

  it("Q10 a kind server ends by itself, and soon", { tags: ["smoke"] }, async () => {
    const bench = mcpBench();
    bench.manager.add(friendly());
    await bench.manager.settled();
    const started = performance.now();
    await bench[Symbol.asyncDispose]();
    expect(performance.now() - started).toBeLessThan(patience(1_500));
  });
});
