import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namesHidden, showHidden, withHidden } from "./hidden.ts";

const tags = (text: string) =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");

describe("hidden characters", () => {
  it("tags and runs of selectors are shown by their number", () => {
    expect(showHidden(`a${tags("Hi")}b`)).toBe("a‹U+E0048›‹U+E0069›b");
    expect(showHidden("😀\ufe0f\ufe01\u{e0101}")).toBe("😀‹U+FE0F›‹U+FE01›‹U+E0101›");
    expect(showHidden("ab\ufe00c\ufe01")).toBe("ab‹U+FE00›c‹U+FE01›");
    expect(showHidden("\ufe00")).toBe("‹U+FE00›");
  });

  it.each([
    ["an emoji in its coloured form", "❤️ and ☎︎"],
    ["a keycap", "1️⃣ #️⃣"],
    ["the flag of England", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["a variant of a Han character", "葛󠄀城"],
    ["joined emoji", "👩‍👩‍👧"],
    ["letters of a script that needs joiners", "می‌خواهم"],
  ])("%s stays as it is", (_what, text) => expect(showHidden(text)).toBe(text));

  it("only characters that the first text names come back", () => {
    expect(withHidden("a‹U+E0041›", "b‹U+E0041›‹U+E0042›")).toEqual(["a\u{e0041}", "b\u{e0041}‹U+E0042›"]);
    expect(namesHidden("‹U+202E›")).toBe(false);
  });

  it("a character that is shown by its number comes back as it was", () => {
    const letter = fc.constantFrom(
      "a",
      " ",
      "\n",
      "漢",
      "😀",
      "\ufe0f",
      "\ufe00",
      "\u{e0041}",
      "\u{e007f}",
      "\u{e0100}",
    );
    fc.assert(
      fc.property(
        fc.array(letter).map((letters) => letters.join("")),
        (text) => {
          const shown = showHidden(text);
          expect(showHidden(shown)).toBe(shown);
          expect(withHidden(shown)[0]).toBe(text);
        },
      ),
    );
  });
});
