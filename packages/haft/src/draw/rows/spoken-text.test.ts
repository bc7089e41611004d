import fc from "fast-check";
import { expect, it } from "vitest";
import "../../../../../test/support/seed.ts";
import { SpokenText } from "./spoken-text.ts";

const spoken = (pieces: readonly string[], width: number): string => {
  const text = new SpokenText(() => width);
  return pieces.map((piece) => text.add(piece)).join("") + text.end();
};

it("E24 words of the model appear row by row, broken between words", () => {
  const text = new SpokenText(() => 20);
  expect(text.add("\nThe quick brown ")).toBe("");
  expect(text.add("fox jumps over")).toBe("The quick brown fox\n");
  expect(text.add(" the dog.\nNext")).toBe("jumps over the dog.\n");
  expect(text.end()).toBe("Next\n");
  expect(text.end()).toBe("");
});

it("E24 code keeps its lines", () => {
  const code = "```js\nconst long = 'a line that is far longer than twenty';\n```\n";
  expect(spoken([...code], 20)).toBe(code);
});

it("E24 text in any pieces has every word once, and no row is too long", () => {
  const words = fc.array(fc.constantFrom("a", "word", "longer-word", "漢字", "\n", "é"), { maxLength: 60 });
  fc.assert(
    fc.property(words, fc.integer({ min: 12, max: 40 }), fc.integer({ min: 1, max: 9 }), (parts, width, size) => {
      const whole = parts.join(" ");
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
      const shown = spoken(pieces, width);
      expect(shown.split(/\s+/).filter(Boolean)).toEqual(whole.split(/\s+/).filter(Boolean));
      for (const row of shown.split("\n")) expect(row.length).toBeLessThanOrEqual(width);
    }),
  );
});
