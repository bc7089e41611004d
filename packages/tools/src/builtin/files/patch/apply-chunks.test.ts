import { HaftError } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyChunks } from "./apply-chunks.ts";
import { parsePatch } from "./parse.ts";

function apply(text: string, ...lines: string[]) {
  const [operation] = parsePatch(["*** Begin Patch", "*** Update File: f", ...lines, "*** End Patch"].join("\n"));
  return applyChunks("f", text, operation?.kind === "update" ? operation.chunks : []);
}
function refusal(text: string, ...lines: string[]): HaftError {
  try {
    apply(text, ...lines);
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
  }
  throw new Error("the change was not refused");
}

describe("changes of a file", () => {
  it.each([
    ["follow each other", "a\nb\na\nb\n", ["@@", "-b", "+1", "@@", "-b", "+2"], "a\n1\na\n2\n"],
    ["come after the line that @@ names", "f\nx\ng\nx\n", ["@@ g", "-x", "+y"], "f\nx\ng\ny\n"],
    [
      "go inward by several @@",
      "class A\n f\n x\nclass B\n f\n x\n",
      ["@@ class B", "@@  f", "- x", "+ y"],
      "class A\n f\n x\nclass B\n f\n y\n",
    ],
    ["only add below that line", "f\nx\ng\n", ["@@ f", "+new"], "f\nnew\nx\ng\n"],
    ["only add, at the end", "a\nb\n", ["@@", "+c"], "a\nb\nc\n"],
    ["only add, to a file without a last line end", "a", ["@@", "+c"], "a\nc\n"],
    ["only add, to an empty file", "", ["@@", "+c"], "c\n"],
    ["must lie at the end", "m\nx\nm\n", ["@@", "-m", "+M", "*** End of File"], "m\nx\nM\n"],
    ["may be followed by space", "a\nb\n", ["@@", "-b", "+c", ""], "a\nc\n"],
    ["may take out an empty line", "a\n\nb\n", ["@@", " a", "-", " b"], "a\nb\n"],
    ["may empty the file", "a\n", ["@@", "-a"], ""],
  ])("K07 %s", (_, text, lines, result) => {
    expect(apply(text, ...lines)).toEqual({ text: result, tolerated: [] });
  });

  it.each([
    [
      "trailing-space",
      "line1  \nline2\nline3\t\n",
      ["@@", " line1", "-line2", "+new", " line3"],
      "line1  \nnew\nline3\t\n",
    ],
    ["line-trim", "\tline1\n  line2\n", ["@@", " line1", "-line2", "+  new"], "\tline1\n  new\n"],
    ["unicode", "say “hi” – now\nx\n", ["@@", ' say "hi" - now', "-x", "+y"], "say “hi” – now\ny\n"],
  ])("K07 %s does not count, and lines that stay keep their bytes", (how, text, lines, result) => {
    expect(apply(text, ...lines)).toEqual({ text: result, tolerated: [how] });
  });

  it("K07 the strictest comparison decides", () => {
    expect(apply("x \nx\n", "@@", "-x", "+y").text).toBe("x \ny\n");
  });

  it("K07 lines that are not there are shown beside the nearest ones", () => {
    const text = "const a = 1;\nconst total = sum(a, b);\nconst c = 3;\n";
    const error = refusal(text, "@@", " const a = 1;", "-const total = sum(a);", "+x");
    expect(error).toMatchObject({ code: "match_not_found", details: { line: 3, nearest: 1 } });
    expect(error.message).toContain("     2\tconst total = sum(a, b);");
  });

  it("K07 changes in the wrong order are told so", () => {
    expect(refusal("a\nb\n", "@@", "-b", "+2", "@@", "-a", "+1").hint).toContain("They stand on line 1");
    expect(refusal("a\nb\na\nc\n", "@@", "-a", "+1", "*** End of File").code).toBe("match_not_found");
  });

  it("K07 the work on a million equal lines stays within bounds", () => {
    const before = process.cpuUsage();
    refusal("x\n".repeat(500_000), "@@", ...Array.from({ length: 2000 }, () => "-x"), "-y");
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(4000);
  });

  it("K07 a patch made of a file and its new text gives the new text", () => {
    const text = fc.stringMatching(/^[a-c ]{0,4}$/);
    const eol = fc.constantFrom("\n", "\r\n", "\r");
    const row = fc.record({ sign: fc.constantFrom(" ", "-", "+"), text });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), eol, fc.boolean(), (rows, end, isEnded) => {
        const before = rows.filter(({ sign }) => sign !== "+").map((each) => each.text + end);
        const after = rows.filter(({ sign }) => sign !== "-").map((each) => each.text + end);
        const patched = apply(
          before.join(""),
          "@@",
          ...rows.map((each) => each.sign + each.text),
          ...(isEnded ? ["*** End of File"] : []),
        );
        // A file without a line end, having no line, takes the common one.
        const expected = before.length === 0 ? after.join("").replaceAll(end, "\n") : after.join("");
        expect(patched.text).toBe(expected);
      }),
    );
  });
});
