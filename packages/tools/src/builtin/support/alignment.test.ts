import fc from "fast-check";
import { expect, it } from "vitest";
import { alignments } from "./alignment.ts";

it("a passage with one line changed is found wherever it stands", () => {
  const lines = Array.from({ length: 300 }, (_, at) => (at * 7919 + 1e9).toString(36).repeat(4));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 295 }), fc.integer({ min: 0, max: 4 }), (place, changed) => {
      const sought = lines.slice(place, place + 5).with(changed, "const other = nothing();");
      const [best] = alignments(lines, sought);
      const expected = sought.map((_, at) => (at === changed ? undefined : place + at));
      expect(best?.partners.filter((_, at) => at !== changed)).toEqual(expected.filter((_, at) => at !== changed));
    }),
  );
});
