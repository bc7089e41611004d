import fc from "fast-check";
import { expect, it } from "vitest";
import "../../../../test/support/seed.ts";
import { wrapped } from "./style.ts";

const row = (text: string) => text.split("\n");

it("U09 a line without room goes on behind a mark, never at the left edge", () => {
  const forged = `  $ rm -rf src #${" ".repeat(64)}Allow? [Y/n] y`;
  expect(row(wrapped(forged, 80)).slice(1)).toEqual(["  ↪ Allow? [Y/n] y"]);
  expect(wrapped(forged, Number.POSITIVE_INFINITY)).toBe(forged);
  expect(wrapped("as it is\n", 80)).toBe("as it is\n");
});

it("U09 wide characters, tabs and colours are measured as they are shown", () => {
  expect(row(wrapped("漢".repeat(20), 30))).toEqual(["漢".repeat(15), `  ↪ ${"漢".repeat(5)}`]);
  expect(row(wrapped("a\tb\tc\tdefghij", 30))).toEqual(["a\tb\tc\tdefghi", "  ↪ j"]);
  const red = `\u001b[31m${"x".repeat(30)}\u001b[39m`;
  expect(wrapped(red, 30)).toBe(red);
});

it("U09 nothing is left out, and no line is longer than there is room", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "漢", "é", "\n", "✓"), maxLength: 400 });
  fc.assert(
    fc.property(text, fc.integer({ min: 20, max: 100 }), (shown, width) => {
      const rows = row(wrapped(shown, width));
      const columns = (line: string) => [...line].reduce((sum, one) => sum + (one < "\u1100" ? 1 : 2), 0);
      for (const line of rows) expect(columns(line)).toBeLessThanOrEqual(width + 1);
      expect(rows.join("\n").replaceAll("\n  ↪ ", "")).toBe(shown);
    }),
  );
});
