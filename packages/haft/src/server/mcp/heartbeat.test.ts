import { defineTool } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { httpClient, textOf } from "../../../test/support/http-client.ts";
import { servedHere } from "../../../test/support/served-here.ts";
import { stepClock } from "../../../test/support/step-clock.ts";

interface Heard {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A server with one tool that says what it is told to, and is silent until it is let go. */
async function silentServer(progress: readonly object[] = []) {
  const clock = stepClock();
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = defineTool({
    name: "Wait",
    description: "Waits.",
    input: { type: "object", properties: {} },
    effects: () => [],
    async run(_, ctx) {
      for (const news of progress) ctx.progress(news);
      begun.resolve();
      await gate.promise;
      return "done";
    },
  });
  const served = await servedHere({ clock, tools: [wait] });
  return { served, clock, begun: begun.promise, release: gate.resolve };
}

describe.each(["legacy", "modern"] as const)("a silent call over the %s protocol", (era) => {
  it("Q13 is known to run: a client that waits 15 s after each progress gets the answer after 33 s", async () => {
    const { served, clock, begun, release } = await silentServer();
    await using _ = served;
    const client = await httpClient(served, { era });
    const heard: Heard[] = [];
    const times: number[] = [0];
    const call = client.callTool(
      { name: "Wait", arguments: {} },
      { onprogress: (news) => [heard.push(news), times.push(clock.now())] },
    );
    await begun;
    for (let second = 1; second <= 33; second += 1) {
      await clock.advance(1_000);
      const wanted = Math.floor(second / 5);
      await expect.poll(() => heard.length).toBe(wanted);
    }
    release();
    expect(textOf(await call)).toBe("done");
    expect(heard[0]?.message).toBe("Wait still runs after 5 s.");
    for (const [at, time] of [...times, 33_000].entries()) expect(time - (times[at - 1] ?? 0)).toBeLessThan(15_000);
    const numbers = heard.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    await client.close();
  });

  it("Q13 that has said how far it is keeps its measure, and numbers only rise", async () => {
    const measured = { display: { kind: "progress", text: "step 2", done: 2, total: 6 } };
    const { served, clock, begun, release } = await silentServer([measured]);
    await using _ = served;
    const client = await httpClient(served, { era });
    const heard: Heard[] = [];
    const call = client.callTool({ name: "Wait", arguments: {} }, { onprogress: (news) => heard.push(news) });
    await begun;
    await expect.poll(() => heard.length).toBe(1);
    await clock.advance(12_000);
    await expect.poll(() => heard.length).toBe(3);
    release();
    await call;
    expect(heard.map(({ progress, total }) => [progress, total])).toEqual([
      [2, 6],
      [2.001, 6],
      [expect.closeTo(2.002), 6],
    ]);
    await client.close();
  });

  it("Q13 of a client that wants no progress is left alone, and no timer is left behind", async () => {
    const { served, clock, begun, release } = await silentServer();
    await using _ = served;
    const client = await httpClient(served, { era });
    const call = client.callTool({ name: "Wait", arguments: {} });
    await begun;
    expect(clock.sleepers).toBe(0);
    release();
    await call;
    await client.callTool({ name: "Wait", arguments: {} }, { onprogress: () => {} });
    expect(clock.sleepers).toBe(0);
    await client.close();
  });
});
