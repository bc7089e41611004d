import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { decode, encode } from "./wire.ts";

const none = {
  give: () => 0,
  takeFunction: () => undefined,
  takeSignal: () => new AbortController().signal,
};

const values = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, undefined, "\u0000", "a\nb", "\u2028"),
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.uint8Array(),
    fc.array(tie("any"), { maxLength: 5 }),
    fc.dictionary(fc.string(), tie("any"), { maxKeys: 5 }).map((one) => withoutUndefined(one)),
  ),
})).any;

/** JSON leaves such fields out, and so do the ports. */
const withoutUndefined = (one: object): object =>
  Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined));

it("carries every value of the ports over the wire, on one line", () => {
  fc.assert(
    fc.property(values, (value) => {
      const text = encode([value], none);
      expect(text).not.toContain("\n");
      expect(decode(text, none)).toEqual([value]);
    }),
    { numRuns: runs(500) },
  );
});

it("replaces functions and signals by stand-ins, and keeps views of a buffer apart", () => {
  const given: unknown[] = [];
  const references = { ...none, give: (value: unknown) => given.push(value) };
  const controller = new AbortController();
  controller.abort();
  const bytes = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
  const text = encode({ act: parseInt, signal: controller.signal, bytes }, references);
  expect(given).toEqual([parseInt, controller.signal]);
  const taken = decode(text, {
    takeFunction: (id) => `f${id}`,
    takeSignal: (_, isAborted) => (isAborted ? controller : new AbortController()).signal,
  });
  expect(taken).toEqual({ act: "f1", signal: controller.signal, bytes: new Uint8Array([2, 3]) });
});
