import { applyPatch, createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffTexts } from "./diff.ts";

const line = fc.constantFrom("", "a", "b", "same", "  x");
const textOf = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, eol, ends]) => lines.join(eol) + (ends && lines.length > 0 ? eol : ""));
/** Two texts that share most of their lines, as edits do. */
const pair = fc.tuple(textOf, fc.nat(40), fc.nat(8), textOf).map(([text, from, length, other]): [string, string] => {
  const lines = text.split("\n");
  return [text, [...lines.slice(0, from), ...other.split("\n"), ...lines.slice(from + length)].join("\n")];
});

describe("the diff of an edit", () => {
  it("H06 leads from the old text to the new one, and shows what changed and no more", async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ([before, after]) => {
        const { unified, added, removed } = await diffTexts("f", before, after);
        expect(applyPatch(before, unified, { autoConvertLineEndings: false })).toBe(after);
        const whole = createTwoFilesPatch("f", "f", before, after, "", "", { context: 3 });
        const count = (sign: string) =>
          whole.split("\n").filter((one) => one.startsWith(sign) && !one.startsWith(sign.repeat(3))).length;
        expect([added, removed]).toEqual([count("+"), count("-")]);
      }),
    );
  });

  it("H06 names the lines where they stand, with three lines around them", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const { unified } = await diffTexts("f", lines.join("\n"), lines.toSpliced(49, 1, "fifty", "and more").join("\n"));
    expect(unified.split("\n").slice(4)).toEqual([
      "@@ -47,7 +47,8 @@",
      " line 47",
      " line 48",
      " line 49",
      "-line 50",
      "+fifty",
      "+and more",
      " line 51",
      " line 52",
      " line 53",
      "",
    ]);
  });
});
