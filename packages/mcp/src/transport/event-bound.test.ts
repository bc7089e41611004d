import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../../test/support/seed.ts";
import { eventBound } from "./event-bound.ts";

const MOST = 200;

async function through(bytes: Buffer, cuts: readonly number[], id?: number): Promise<string> {
  const { writable, readable } = eventBound({ maxBytes: MOST, id });
  const writer = writable.getWriter();
  const text = new Response(readable).text();
  const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b);
  for (const [index, from] of places.entries()) await writer.write(bytes.subarray(from, places[index + 1]));
  await writer.close();
  return text;
}

const answer = (id: number, words: string): string => JSON.stringify({ result: { words }, jsonrpc: "2.0", id });
const isShort = (event: string): boolean => Buffer.byteLength(event) <= MOST;

describe("the length of an event", () => {
  it("Q10 a stream in any pieces passes short events as they are, and a long one is an error of its call", async () => {
    const words = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.string({ minLength: 250, maxLength: 900 }),
    );
    const end = fc.constantFrom("\n", "\r\n");
    await fc.assert(
      fc.asyncProperty(
        fc.array(words, { minLength: 1, maxLength: 6 }),
        end,
        fc.array(fc.nat()),
        async (all, feed, cuts) => {
          const events = all.map((one, index) => `event: message${feed}data: ${answer(index + 1, one)}${feed}${feed}`);
          const passed = await through(Buffer.from(events.join("")), cuts);
          for (const [index, event] of events.entries()) {
            expect(passed.includes(event)).toBe(isShort(event));
            expect(passed.includes(`"id":${index + 1},"error"`)).toBe(!isShort(event));
          }
          if (events.every(isShort)) expect(passed).toBe(events.join(""));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("Q10 an event that never ends is an error of the call whose stream it is", async () => {
    const passed = await through(Buffer.from(`data: {"result":"${"w".repeat(5_000)}`), [100, 1_000, 3_000], 7);
    expect(passed).toContain('"id":7,"error"');
    expect(passed.length).toBeLessThan(MOST + 200);
  });
});
