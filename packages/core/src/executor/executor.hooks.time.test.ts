import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testMachine, textOf } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Put } from "../../test/support/tools.ts";
import type { Hook, HookEvent } from "../hook/index.ts";
import { createExecutor } from "./index.ts";

const never = () => new Promise<never>(() => undefined);
const put = { id: "1", tool: "Put", input: { path: "a", text: "t" } };

/** A clock that ends every wait at once and notes how long the wait would have been. */
function hasty() {
  const waits: number[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    waits.push(ms);
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  };
  return { waits, clock: { now: () => 0, sleep } };
}

function withHooks(hooks: readonly Hook[], clock = hasty().clock) {
  const disk = new Map<string, string>();
  const { machine } = testMachine([Put], { ports: { ...memoryPorts(disk), clock }, hooks });
  return { disk, executor: createExecutor(machine) };
}

describe("a hook that never answers", () => {
  it("E24 denies its call when its timeout was reached, and hears that", async () => {
    const { waits, clock } = hasty();
    let heard: AbortSignal | undefined;
    const before = ({ signal }: HookEvent) => {
      heard = signal;
      return never();
    };
    const { disk, executor } = withHooks([{ name: "slow", before }], clock);
    const [outcome] = await executor.run([put]);
    expect(outcome?.result.error).toMatchObject({ code: "denied_by_hook", message: expect.stringContaining('"slow"') });
    expect([disk.size, heard?.aborted, waits]).toEqual([0, true, [60_000]]);
  });

  it("E24 law: one of them among any others keeps the call from running, with any answers of the others", async () => {
    const said = fc.constantFrom(undefined, {}, { decision: "allow" }, { decision: "ask" }, { context: "x" } as const);
    await fc.assert(
      fc.asyncProperty(fc.array(said, { maxLength: 4 }), fc.nat(4), async (others, at) => {
        const hooks: Hook[] = others.map((one, index) => ({ name: `h${index}`, before: () => one as never }));
        hooks.splice(Math.min(at, hooks.length), 0, { name: "slow", timeoutMs: 5, before: never });
        const { disk, executor } = withHooks(hooks);
        const [outcome] = await executor.run([put]);
        expect([outcome?.result.error?.code, disk.size]).toEqual(["denied_by_hook", 0]);
      }),
      { numRuns: 40 },
    );
  });

  it("E24 is left out after the call, and the model is told", async () => {
    const { executor } = withHooks([{ name: "slow", after: never, batchEnd: never }]);
    const [outcome] = await executor.run([put]);
    expect(outcome?.status).toBe("ok");
    expect(textOf(outcome!).match(/no answer within 60 s/g)).toHaveLength(2);
  });

  it("E24 lets go of a call that is cancelled, also where it has no time limit", async () => {
    const cancel = new AbortController();
    const before = () => {
      cancel.abort();
      return never();
    };
    const { executor } = withHooks([{ name: "slow", timeoutMs: Number.POSITIVE_INFINITY, before }]);
    const [outcome] = await executor.run([put], { signal: cancel.signal });
    expect(outcome?.result.error?.code).toBe("cancelled");
  });
});

describe("a hook that answers", () => {
  /** Starts no timer that ends, and notes which timers were started and cancelled. */
  function patient() {
    const timers: string[] = [];
    const sleep = (ms: number, signal?: AbortSignal) => {
      timers.push(`start ${ms}`);
      return new Promise<void>((_, reject) => {
        signal?.addEventListener("abort", () => {
          timers.push(`cancel ${ms}`);
          reject(signal.reason);
        });
      });
    };
    return { timers, clock: { now: () => 0, sleep } };
  }

  it("E24 needs no timer when its answer is there", async () => {
    const { timers, clock } = patient();
    const { executor } = withHooks([{ name: "quick", before: () => ({ context: "seen" }) }], clock);
    const [outcome] = await executor.run([put]);
    expect([textOf(outcome!).includes("seen"), timers]).toEqual([true, []]);
  });

  it("E24 cancels its timer when its promise is kept", async () => {
    const { timers, clock } = patient();
    const { executor } = withHooks(
      [{ name: "later", timeoutMs: 70, before: async () => ({ context: "seen" }) }],
      clock,
    );
    const [outcome] = await executor.run([put]);
    expect([textOf(outcome!).includes("seen"), timers]).toEqual([true, ["start 70", "cancel 70"]]);
  });
});
