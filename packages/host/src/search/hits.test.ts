import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Hits, shownLine } from "./hits.ts";

describe("Hits", () => {
  it("K10 keeps what comes first by path, however the files arrive, and counts the rest", () => {
    const files = fc.uniqueArray(
      fc.record({
        path: fc.string({ unit: fc.constantFrom("a", "b", "/"), minLength: 1, maxLength: 6 }),
        hits: fc.integer({ min: 1, max: 900 }),
      }),
      {
        selector: (file) => file.path,
        minLength: 1,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(files, fc.nat(40), fc.integer({ min: 1, max: 40 }), (arrived, offset, limit) => {
        const hits = new Hits({ root: "/", pattern: "x", want: "lines", limit, offset });
        for (const { path, hits: amount } of arrived)
          for (let line = 1; line <= amount; line++) hits.add(path, { line, text: `${path}:${line}` });
        const all = arrived
          .toSorted((a, b) => (a.path < b.path ? -1 : 1))
          .flatMap(({ path, hits: amount }) => Array.from({ length: amount }, (_, index) => `${path}:${index + 1}`));
        expect(hits.page().map((match) => match.text)).toEqual(all.slice(offset, offset + limit));
        expect(hits.total).toBe(all.length);
      }),
      { numRuns: 60 },
    );
  });

  it("K10 shows the part of a long line where the match is", () => {
    const line = `${"a".repeat(5000)}HIT${"b".repeat(5000)}`;
    expect(shownLine(line, 5000)).toContain("aHITb");
    expect(shownLine(line, 5000).length).toBeLessThanOrEqual(502);
    expect(shownLine("short", 2)).toBe("short");
  });
});
