import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

describe("the text that a terminal shows in the end", () => {
  it("L04 colours, titles and movements are gone, overwritten text is the newer one", () => {
    const shown: Record<string, string> = {
      "\u001b[1;32mok\u001b[0m done": "ok done",
      "10%\r50%\r100%\nnext\r\n": "100%\nnext\n",
      "working...\r\u001b[Kdone": "done",
      "abc\u001b[2K\rxy": "xy",
      "passwort\b \bd": "password",
      "\u001b]0;title\u0007$ \u001b[?2004h": "$ ",
      "a\u001b[3Cb\u001b[2Gz": "az  b",
      "späß 😀\u001b[0m": "späß 😀",
      "\u001b[999999999Cx": `${" ".repeat(2000)}x`,
      "open \u001b": "open ",
    };
    for (const [raw, plain] of Object.entries(shown)) expect(plainText(raw), JSON.stringify(raw)).toBe(plain);
  });

  it("L04 the result has no control characters, stays the same in a second pass, and other text is untouched", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\u001b[", "\u001b", "31m", "K", "\r", "\b", "\n"),
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((all) => all.join("")),
        (text) => {
          const plain = plainText(text);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
          expect(plain).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
          expect(plainText(plain)).toBe(plain);
          expect(plain.split("\n").length).toBe(text.split("\n").length);
        },
      ),
    );
    const plain = fc.string({ unit: fc.constantFrom("a", " ", "ä", "\n", "\t", "😀") });
    fc.assert(
      fc.property(plain, (text) => {
        expect(plainText(text)).toBe(text);
      }),
    );
  });
});
