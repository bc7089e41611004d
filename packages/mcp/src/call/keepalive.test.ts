import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { createAlarm, type Due } from "./keepalive.ts";

it("Q10 one timer ends each call when its timeout was reached, while other calls begin, end, pause or show life", async () => {
  const alarm = createAlarm();
  const wrong: string[] = [];
  let expired = 0;
  let seed = 7;
  const random = (most: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % most;
  };
  function begin(kind: number): Due {
    let at = performance.now() + 20 + random(250);
    let isSet = true;
    const due: Due = {
      dueAt: () => at,
      expire() {
        expired += 1;
        const late = performance.now() - at;
        if (!isSet || late < 0) wrong.push(`${kind} ${isSet} ${late}`);
        isSet = false;
        // A listener that learns of the end begins again at once, with a shorter time than any other.
        if (kind === 5) begin(6);
      },
    };
    alarm.set(due);
    const soon = random(20);
    if (kind === 1) setTimeout(() => (at += 100), soon);
    if (kind > 1 && kind < 5)
      setTimeout(() => {
        alarm.unset(due);
        isSet = kind === 4;
        if (kind !== 4) return;
        at = performance.now() + random(150);
        alarm.set(due);
      }, soon);
    return due;
  }
  for (let index = 0; index < 300; index += 1) {
    begin(index % 6);
    if (index % 30 === 0) await wait(5);
  }
  await wait(800);
  // Those that are taken back end in no other way, and each of the last kind has begun one more.
  expect([wrong, expired]).toEqual([[], 250]);
});
