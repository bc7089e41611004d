import { setTimeout as wait } from "node:timers/promises";
import { HaftError } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { CallDeadline } from "./deadline.ts";

const never = new AbortController().signal;

describe("the time of a remote call", () => {
  it("Q10 ends after silence, not while signs of life come", async () => {
    const deadline = new CallDeadline("it", { idleMs: 150, totalMs: 10_000 }, never);
    for (let index = 0; index < 4; index += 1) {
      await wait(60);
      deadline.alive();
    }
    expect(deadline.signal.aborted).toBe(false);
    await wait(300);
    expect(deadline.signal.reason).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("last progress"),
    });
  });

  it("Q10 ends after the whole time, however lively", async () => {
    const deadline = new CallDeadline("it", { idleMs: 150, totalMs: 250 }, never);
    const pulse = setInterval(() => deadline.alive(), 30);
    await wait(500);
    clearInterval(pulse);
    expect(deadline.signal.reason).toMatchObject({ message: expect.stringContaining("250 ms altogether") });
  });

  it("Q10 stands still while a person is asked", async () => {
    const deadline = new CallDeadline("it", { idleMs: 200, totalMs: 400 }, never);
    deadline.pause();
    await wait(600);
    deadline.alive();
    expect(deadline.signal.aborted).toBe(false);
    deadline.resume();
    await wait(400);
    expect(deadline.signal.aborted).toBe(true);
  });

  it("E12 ends when the call is cancelled, with the reason of the cancellation", () => {
    const outer = new AbortController();
    const deadline = new CallDeadline("it", { idleMs: 1_000, totalMs: 1_000 }, outer.signal);
    const reason = new HaftError({ code: "cancelled", message: "enough" });
    outer.abort(reason);
    expect(deadline.signal.reason).toBe(reason);
    deadline.stop();
  });
});
