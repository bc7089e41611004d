import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputLog } from "./output-log.ts";

/** Text in many scripts, with line ends, cut into pieces wherever, also within a character. */
const pieces = fc
  .tuple(
    fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\n", "é\n", "漢字", "😀", "\r\n")), {
      maxLength: 30,
    }),
    fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
  )
  .map(([words, sizes]) => {
    const bytes = Buffer.from(words.join(""));
    const cut: Buffer[] = [];
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const size = sizes[n % sizes.length]!;
      cut.push(bytes.subarray(at, at + size));
      at += size;
    }
    return { text: bytes.toString("utf8"), cut };
  });

async function logOf(cut: readonly Buffer[], ringBytes?: number, look?: (log: OutputLog) => Promise<void>) {
  const log = new OutputLog(undefined, ringBytes);
  const stream = new PassThrough();
  log.listen(stream);
  for (const piece of cut) {
    stream.write(piece);
    await new Promise(setImmediate);
    await look?.(log);
  }
  return log;
}

describe("the output of a job", () => {
  it("L04 the new parts, look after look, are the whole output", async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async ({ text, cut }) => {
        let seen = "";
        const news = async (log: OutputLog, isOver: boolean) => {
          seen += (await log.window({ part: "new", maxBytes: 1000 }, isOver)).text;
        };
        const log = await logOf(cut, undefined, (one) => news(one, false));
        await news(log, true);
        expect(seen).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it("L04 lines by number are the lines of the whole", async () => {
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.nat({ max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async ({ text, cut }, skip, limit) => {
          const log = await logOf(cut);
          const lines = text.split(/(?<=\n)/);
          const { text: got } = await log.window({ part: "lines", first: skip + 1, limit }, true);
          expect(got).toBe(lines.slice(skip, skip + limit).join(""));
          expect(log.lines).toBe(text === "" ? 0 : lines.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("L04 the kept part is the end, and the missing bytes are counted", async () => {
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 40 }), async ({ text, cut }, maxBytes) => {
        const log = await logOf(cut, 20);
        const { text: tail, skipped } = await log.window({ part: "tail", maxBytes }, true);
        expect(text.endsWith(tail)).toBe(true);
        expect(skipped + Buffer.byteLength(tail)).toBe(Buffer.byteLength(text));
      }),
      { numRuns: 60 },
    );
  });
});
