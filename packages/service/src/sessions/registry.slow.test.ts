import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openSessionRegistry } from "./registry.ts";

const WORKER = fileURLToPath(new URL("../../test/support/session-worker.ts", import.meta.url));
const names = (count: number) => Array.from({ length: count }, (_, n) => `s${n}`);

/** A process with some of the sessions: it sends from each, takes for each, and reports what arrived. */
function worker(root: string, own: readonly string[], all: readonly string[], perSession: number) {
  const child = fork(WORKER, [root, own.join(), all.join(), String(perSession)], { stdio: "inherit" });
  const report = Promise.withResolvers<readonly string[][]>();
  let count = 0;
  let hear = () => {};
  child.on("message", (message: number | readonly string[][]) => {
    if (typeof message !== "number") return report.resolve(message);
    count = message;
    hear();
  });
  return {
    report: report.promise,
    exit: once(child, "exit"),
    count: () => count,
    onCount: (listener: () => void) => {
      hear = listener;
    },
    stop: () => child.send("stop"),
  };
}

/** Every message as sender, receiver and number, in the order of arrival. */
async function exchange(sessions: number, processes: number, perSession: number) {
  const root = mkdtempSync(join(tmpdir(), "haft-registry-"));
  try {
    const all = names(sessions);
    const registry = await openSessionRegistry({ root });
    registry.close();
    const workers = Array.from({ length: processes }, (_, index) =>
      worker(
        root,
        all.filter((_, n) => n % processes === index),
        all,
        perSession,
      ),
    );
    await new Promise<void>((resolve) => {
      const look = () => {
        if (workers.reduce((sum, { count }) => sum + count(), 0) >= sessions * perSession) resolve();
      };
      for (const { onCount } of workers) onCount(look);
    });
    for (const { stop } of workers) stop();
    const reports = await Promise.all(workers.map(({ report }) => report));
    await Promise.all(workers.map(({ exit }) => exit));
    return reports.flat();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function check(arrived: readonly string[][], expected: number) {
  expect(arrived).toHaveLength(expected);
  expect(new Set(arrived.map((one) => one.join(" "))).size).toBe(expected);
  const pairs = Map.groupBy(arrived, ([from, to]) => `${from} ${to}`);
  for (const [pair, messages] of pairs) {
    const order = messages.map(([, , n]) => Number(n));
    expect(order, pair).toEqual(order.toSorted((a, b) => a - b));
  }
}

describe("messages between processes", () => {
  it("T02 each arrives once, in order for each pair: 40 messages, 4 sessions, 2 processes", {
    tags: ["smoke"],
  }, async () => {
    check(await exchange(4, 2, 10), 40);
  });

  it("T02 each arrives once, in order for each pair: 1,000 messages, 20 sessions, 4 processes", async () => {
    check(await exchange(20, 4, 50), 1000);
  });

  it("T02 a message that a killed process had taken is taken by the next one", async () => {
    const root = mkdtempSync(join(tmpdir(), "haft-registry-"));
    try {
      const registry = await openSessionRegistry({ root });
      const send = (text: string) => registry.send({ from: "a", to: "b", text, kind: "message", hops: 1, sources: [] });
      send("one");
      const child = fork(WORKER, [root, "b", "", "0", "die"], { stdio: "inherit" });
      await once(child, "message");
      send("two");
      expect(registry.take("b")).toEqual([]);
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(registry.take("b").map(({ text }) => text)).toEqual(["one", "two"]);
      expect(registry.take("b")).toEqual([]);
      registry.close();
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
