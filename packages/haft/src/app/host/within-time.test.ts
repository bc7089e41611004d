import type { Clock } from "@haft/core/tool";
import { expect, it } from "vitest";
import { fromStore } from "./within-time.ts";

const clock = (isOver: boolean): Clock => ({
  now: () => 0,
  sleep: (_, signal) =>
    isOver
      ? Promise.resolve()
      : new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
});

it("F11 a store that does not answer fails in time, one that does gives its answer", async () => {
  await expect(fromStore("approvals", clock(true), () => new Promise(() => {}))).rejects.toMatchObject({
    code: "execution_failed",
    message: "The store of approvals failed: it gave no answer within 10 seconds.",
  });
  expect(await fromStore("approvals", clock(false), () => 1)).toBe(1);
  await expect(fromStore("records", clock(false), () => JSON.parse("{"))).rejects.toThrow(
    /^The store of records failed/,
  );
});
