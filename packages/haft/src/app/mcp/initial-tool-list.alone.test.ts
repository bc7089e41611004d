import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { initialToolList } from "./initial-tool-list.ts";

/** Servers that are never ready, and for how long they were waited for. */
function hanging() {
  const waits: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const settled = (ms = 0) => {
    waits.push(ms);
    return promise;
  };
  return { waits, settled, stop: resolve };
}

const settled = { settled: async () => {} };

/** On the clock of a process that has been there for long: one that has just begun has less time. */
const at = (ms: number) => initialToolList(performance.now() + ms);

describe("the first list of tools", () => {
  // In a process that has just begun it goes sooner.
  beforeAll(() => wait(Math.max(0, 400 - performance.now())));

  it("Q10 counts from the start of a process that began just before the servers", async () => {
    const servers = hanging();
    servers.stop();
    await at(-50).ready(servers);
    expect(servers.waits[0]).toBeGreaterThan(0);
    expect(servers.waits[0]).toBeLessThanOrEqual(80);
    await initialToolList(150).ready(servers);
    expect(servers.waits).toHaveLength(1);
  });

  it("Q10 waits for servers a short while, and the next one not at all", async () => {
    const servers = hanging();
    const offer = at(10_000);
    const ready = offer.ready(servers);
    expect(servers.waits[0]).toBeGreaterThan(9_000);
    expect(servers.waits[0]).toBeLessThanOrEqual(10_130);
    servers.stop();
    await ready;
    await offer.ready(servers);
    expect(servers.waits).toHaveLength(1);
  });

  it("Q10 does not wait where all servers are ready", async () => {
    const order: string[] = [];
    const later = new Promise((resolve) => setImmediate(resolve)).then(() => order.push("the next turn"));
    await Promise.all([
      later,
      at(10_000)
        .ready(settled)
        .then(() => order.push("the list")),
    ]);
    expect(order).toEqual(["the list", "the next turn"]);
  });

  it("Q10 has nothing in its way when it goes, and then makes way", async () => {
    const servers = hanging();
    const early = at(10_000);
    void early.ready(servers);
    // There is time for much until it goes.
    expect(early.quiet("start")).toBeUndefined();
    const offer = at(-100);
    expect(offer.quiet("load")).toBeUndefined();
    const ready = offer.ready(servers);
    const out = offer.quiet("start");
    expect(out).toBeInstanceOf(Promise);
    servers.stop();
    await ready;
    expect(offer.quiet("start")).toBe(out);
    await out;
    expect(offer.quiet("start")).toBeUndefined();
  });

  it("Q10 goes at once when the code that servers need would come too late", async () => {
    const servers = hanging();
    const offer = at(-100);
    expect(offer.quiet("start")).toBeUndefined();
    const ready = offer.ready(servers);
    const out = offer.quiet("load");
    expect(out).toBeInstanceOf(Promise);
    await ready;
    await out;
  });

  it("Q10 keeps no process alive after it, unless somebody waits for it to be out of the way", async () => {
    const clocks = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const offer = initialToolList();
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
