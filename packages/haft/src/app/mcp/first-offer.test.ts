import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { firstOffer } from "./first-offer.ts";

const hanging = { settled: (ms = 0) => wait(ms) };
const settled = { settled: async () => {} };

describe("the first list of tools", () => {
  // In a process that has just begun it goes sooner.
  beforeAll(() => wait(Math.max(0, 250 - performance.now())));

  it("Q10 counts from the start of a process that began just before the servers", async () => {
    const since = performance.now();
    await firstOffer(since - 50).ready(hanging);
    expect(performance.now() - since).toBeGreaterThan(50);
    const again = performance.now();
    await firstOffer(150).ready(hanging);
    expect(performance.now() - again).toBeLessThan(40);
  });

  it("Q10 waits for servers a short while, and the next one not at all", async () => {
    const offer = firstOffer();
    const since = performance.now();
    await offer.ready(hanging);
    expect(performance.now() - since).toBeGreaterThan(100);
    expect(performance.now() - since).toBeLessThan(280);
    const again = performance.now();
    await offer.ready(hanging);
    expect(performance.now() - again).toBeLessThan(50);
  });

  it("Q10 does not wait where all servers are ready", async () => {
    const since = performance.now();
    await firstOffer().ready(settled);
    expect(performance.now() - since).toBeLessThan(50);
  });

  it("Q10 has nothing in its way when it goes, and then makes way", async () => {
    const offer = firstOffer();
    expect(offer.quiet("load")).toBeUndefined();
    const ready = offer.ready(hanging);
    // There is time for much until it goes.
    expect(offer.quiet("start")).toBeUndefined();
    await wait(90);
    const out = offer.quiet("start");
    expect(out).toBeInstanceOf(Promise);
    await ready;
    expect(offer.quiet("start")).toBe(out);
    await out;
    expect(offer.quiet("start")).toBeUndefined();
  });

  it("Q10 goes at once when the code that servers need would come too late", async () => {
    const offer = firstOffer();
    expect(offer.quiet("start")).toBeUndefined();
    const ready = offer.ready(hanging);
    await wait(90);
    const since = performance.now();
    const out = offer.quiet("load");
    expect(out).toBeInstanceOf(Promise);
    await ready;
    expect(performance.now() - since).toBeLessThan(20);
    await out;
  });

  it("Q10 keeps no process alive after it, unless somebody waits for it to be out of the way", async () => {
    const clocks = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const offer = firstOffer();
    const before = clocks();
    await Promise.all([offer.ready(settled), offer.ready(settled)]);
    expect(clocks()).toBe(before);
    const out = offer.quiet("start");
    await Promise.resolve();
    expect(clocks()).toBe(before + 1);
    await out;
    expect(offer.quiet("start")).toBeUndefined();
  });
});
