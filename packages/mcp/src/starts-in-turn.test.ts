import { availableParallelism } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { startsInTurn } from "./starts-in-turn.ts";

const AT_ONCE = 2 * availableParallelism();

describe("starts in turn", () => {
  it("Q10 begin in order, a few at once, and the next as soon as one is through", async () => {
    const inTurn = startsInTurn();
    const begun: number[] = [];
    let underway = 0;
    let most = 0;
    const all = Array.from({ length: 4 * AT_ONCE }, (_, index) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      inTurn(async () => {
        begun.push(index);
        most = Math.max(most, ++underway);
        await wait(5);
        underway -= 1;
        resolve();
      });
      return promise;
    });
    expect(begun).toEqual([]);
    await Promise.all(all);
    expect(begun).toEqual(all.map((_, index) => index));
    expect(most).toBe(AT_ONCE);
  });

  it("Q10 come to those behind one that hangs, or fails, or has nothing to do", async () => {
    const inTurn = startsInTurn();
    for (let index = 0; index < 2 * AT_ONCE; index += 1) inTurn(() => new Promise(() => {}));
    inTurn(() => Promise.reject(new Error("It fails.")).catch(() => {}));
    inTurn(() => undefined);
    const since = performance.now();
    await new Promise<void>((resolve) => inTurn(async () => resolve()));
    expect(performance.now() - since).toBeGreaterThan(150);
    expect(performance.now() - since).toBeLessThan(patience(2_000));
  });

  it("Q10 wait while the host is in a hurry, and only as long", async () => {
    let inAHurry: PromiseWithResolvers<void> | undefined = Promise.withResolvers<void>();
    const inTurn = startsInTurn(() => inAHurry?.promise);
    const begun: number[] = [];
    for (let index = 0; index < 2 * AT_ONCE; index += 1) inTurn(async () => void begun.push(index));
    await wait(50);
    expect(begun).toEqual([]);
    inAHurry.resolve();
    // One whose promise stays resolved holds nobody up.
    await expect.poll(() => begun.length).toBe(2 * AT_ONCE);
    inAHurry = undefined;
    await new Promise<void>((resolve) => inTurn(async () => resolve()));
  });
});
