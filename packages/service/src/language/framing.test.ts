import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { frame, frameReader } from "./framing.ts";

it("reads every message however the stream is cut", () => {
  const cut = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), cut, (messages, sizes) => {
      const sent = Buffer.concat(messages.map(frame));
      const got: unknown[] = [];
      const read = frameReader((message) => got.push(message));
      for (let at = 0, turn = 0; at < sent.length; turn += 1) {
        const size = sizes[turn % sizes.length]!;
        read(sent.subarray(at, at + size));
        at += size;
      }
      expect(got).toEqual(messages.map((message) => JSON.parse(JSON.stringify(message))));
    }),
    { numRuns: runs(300) },
  );
});

it.each([
  ["text without a length", `${"x".repeat(9000)}`],
  ["a header without a length", "Content-Type: x\r\n\r\n{}"],
  ["a message that is too long", "Content-Length: 99999999999\r\n\r\n"],
  ["a message that is not JSON", "Content-Length: 3\r\n\r\n{,}"],
])("refuses %s", (_, text) => {
  expect(() => frameReader(() => {})(Buffer.from(text))).toThrow(/^it (?:wrote|sent)/);
});
