import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../../../../../test/support/seed.ts";
import { replaceText } from "../replace.ts";
import { inFormOf } from "./letter-forms.ts";

describe("characters that the file has in another form", () => {
  it.each([
    ["quotes around another word", "say “hi”", 'say "hi"', 'say "yo"', "say “yo”"],
    ["a dash before it, accents in two characters", "cafe\u0301 — x", "café - x", "café - y", "cafe\u0301 — y"],
    ["three dots for one", "wait… then a", "wait... then a", "wait... then b", "wait… then b"],
    ["half of the three dots", "wait…", "wait...", "wait..", "wait.."],
    ["another dash that is meant", "a — b", "a - b", "a – b", "a – b"],
    ["an indentation of its own", "  “a” b", '"a" b', '\t"a" c', "\t“a” c"],
    ["one quote of two that is written anew", "say “hi” now", 'say "hi" now', 'say "yo"', 'say "yo"'],
    ["more than forms that differ", "say  “hi”", 'say "hi"', 'say "yo"', 'say "yo"'],
  ])("K06 %s", (_, there, old, next, made) => {
    expect(inFormOf(there, old, next)).toBe(made);
  });

  it("K06 the unchanged part of a changed line keeps the file's characters, in each of several lines", () => {
    const text = "x\n“one” — a\nkeep “this”\n“two” — b\ny\n";
    const old = '"one" - a\nkeep "this"\n"two" - b';
    const next = '"one" - A\nkeep "this"\n"2" - b';
    const wish = { old_string: old, new_string: next };
    const { text: made } = replaceText({ path: "a" }, { text, eol: "\n" }, wish);
    expect(made).toBe("x\n“one” — A\nkeep “this”\n“2” — b\ny\n");
  });

  it("K06 nothing but forms ever differs from the new text", () => {
    const piece = fc.string({
      unit: fc.constantFrom("a", "é", "e\u0301", "“", '"', "—", "-", "…", ".", " ", "😀"),
      maxLength: 9,
    });
    const plain = (text: string) => inPlain(text.trim());
    fc.assert(
      fc.property(piece, piece, (there, next) => {
        const old = inPlain(there);
        expect(plain(inFormOf(there, old, next))).toBe(plain(next));
        expect(plain(inFormOf(there, old, old))).toBe(plain(there));
      }),
    );
  });
});

const inPlain = (text: string): string =>
  text.normalize("NFD").replaceAll("“", '"').replaceAll("—", "-").replaceAll("…", "...");
