import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineReader } from "./line-reader.ts";

function reader(maxBytes: number) {
  const lines: string[] = [];
  const oversized: { head: string; tail: string; bytes: number }[] = [];
  const push = lineReader(maxBytes, { onLine: (line) => lines.push(line), onOversize: (ends) => oversized.push(ends) });
  return { push, lines, oversized };
}

describe("line reader", () => {
  it("Q10 a stream in any pieces gives the same lines", () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", "\r\n", " ") }), { maxLength: 30 });
    fc.assert(
      fc.property(pieces, fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 9 }), (texts, cuts) => {
        const bytes = Buffer.from(`${texts.join("")}\n`);
        const { push, lines } = reader(1_000_000);
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = 1 + cuts[turn % cuts.length]!;
          push(bytes.subarray(at, at + size));
          at += size;
        }
        const whole = bytes.toString().split("\n").slice(0, -1);
        expect(lines).toEqual(whole.filter((line) => line !== "").map((line) => line.replace(/\r$/, "")));
      }),
    );
  });

  it("Q10 a line that is too long leaves its ends, and the next is read as usual", () => {
    const { push, lines, oversized } = reader(5_000);
    push(Buffer.from("short\n{begin"));
    for (let index = 0; index < 100; index += 1) push(Buffer.alloc(1_000, "x"));
    push(Buffer.from("end}\nnext\n"));
    expect(lines).toEqual(["short", "next"]);
    expect(oversized).toHaveLength(1);
    expect(oversized[0]).toMatchObject({ bytes: 100_010 });
    expect(oversized[0]?.head.startsWith("{beginxxx")).toBe(true);
    expect(oversized[0]?.tail.endsWith("xxxend}")).toBe(true);
  });
});
