import { describe, expect, it } from "vitest";
import { createClock } from "./clock.ts";

describe("the clock", () => {
  const clock = createClock();

  it("E13 ends a sleep with the reason of its signal, before and during it", async () => {
    const over = new AbortController();
    const during = clock.sleep(600_000, over.signal);
    over.abort("the call ended");
    await expect(during).rejects.toBe("the call ended");
    await expect(clock.sleep(600_000, over.signal)).rejects.toBe("the call ended");
  });

  it("E13 ends a sleep when its timeout was reached, with or without a signal", async () => {
    await expect(clock.sleep(0)).resolves.toBeUndefined();
    await expect(clock.sleep(1, new AbortController().signal)).resolves.toBeUndefined();
  });
});
