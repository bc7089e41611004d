import { HaftError } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Refusing } from "./refusal.ts";
import { replaceText } from "./replace.ts";

function refusal(text: string, old_string: string, more: Partial<Refusing> = {}, new_string = "new"): HaftError {
  try {
    replaceText({ path: "f", ...more }, { text, eol: "\n" }, { old_string, new_string });
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
  }
  throw new Error("the edit was not refused");
}

const code = (rows: number) =>
  Array.from({ length: rows }, (_, row) => `  const value${row} = compute(${row}, "${"x".repeat(row % 30)}");`);

it("K06 a passage that stands half a million times in one line is refused, or replaced, at once", () => {
  const text = `${"x".repeat(1_000_000)}\n`;
  const started = process.cpuUsage().user;
  expect(refusal(text, "xx").message).toContain("500,000 times in f: all on line 1");
  const every = { old_string: "xx", new_string: "y", replace_all: true };
  expect(replaceText({ path: "f" }, { text, eol: "\n" }, every).text).toBe(`${"y".repeat(500_000)}\n`);
  expect((process.cpuUsage().user - started) / 1000).toBeLessThan(3_500);
});

describe("an edit that finds nothing", () => {
  it("K06 shows the nearest passage with its lines, and the differences", () => {
    const lines = code(300);
    const old = [...lines.slice(200, 203), "  const wrong = compote(203);", lines[204]].join("\n");
    const error = refusal(lines.join("\n"), old);
    expect(error).toMatchObject({ code: "match_not_found", details: { line: 201, endLine: 205 } });
    expect(error.message).toContain("The nearest passage is lines 201 to 205");
    expect(error.message).toContain(`   204\t${lines[203]}`);
    expect(error.message).toContain(
      `line 204 has \`${lines[203]}\`\n  old_string has \`  const wrong = compote(203);\``,
    );
    expect(error.message).not.toContain("line 203 has");
  });

  it("K06 shows the right place even where much has changed, and none where there is none", () => {
    const words = [
      "parse",
      "render",
      "commit",
      "listen",
      "encode",
      "resolve",
      "measure",
      "collect",
      "publish",
      "verify",
    ];
    const lines = Array.from({ length: 300 }, (_, row) => {
      const pick = (step: number) => words[(row * step + (row >> 3)) % words.length];
      return `  ${pick(3)}${pick(7)}(${pick(1)}${row}, { ${pick(9)}: ${row * 13} });`;
    });
    const text = lines.join("\n");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 290 }), fc.integer({ min: 4, max: 9 }), fc.nat(2), (from, count, phase) => {
        // Every third word is another one, and a line is missing.
        let word = phase;
        const changed = lines
          .slice(from, from + count)
          .toSpliced(1, 1)
          .map((line) => line.replace(/[a-z]{4,}/g, (old) => (word++ % 3 === 0 ? "anything" : old)));
        const { details } = refusal(text, changed.join("\n"));
        expect(details?.line).toBeLessThan(from + count + 1);
        expect(details?.endLine).toBeGreaterThan(from);
      }),
    );
    const foreign = "SELECT name, price FROM goods\nWHERE amount > 10\nORDER BY price DESC;";
    expect(refusal(text, foreign).message).not.toContain("nearest");
  });

  it("K06 finds it across lines that came and went", () => {
    const lines = code(120);
    const old = [...lines.slice(60, 64), "  somethingThatIsGone();", ...lines.slice(66, 70)].join("\n");
    const error = refusal(lines.join("\n"), old);
    expect(error.details).toMatchObject({ line: 61, endLine: 70 });
    expect(error.message).toContain("line 65 has `");
    expect(error.message).toContain("old_string has `  somethingThatIsGone();`");
    expect(error.message).toContain("only in the file, line 66");
  });

  it("K06 shows differences of white space that cannot be seen", () => {
    const error = refusal("x\nreturn total(\ta, b);\n", "return total(a,b);");
    expect(error.message).toContain("It differs only in whitespace");
    expect(error.message).toContain("`return·total(→a,·b);`");
  });

  it("K06 shows nothing where nothing is alike", () => {
    const error = refusal(code(50).join("\n"), "The quick brown fox\njumps over the lazy dog");
    expect(error.message).toBe("old_string is not in f.");
  });

  it("K06 names the rivals of the nearest passage", () => {
    const block = (name: string, extra: string) =>
      [`function ${name}(input) {`, "  const parsed = parse(input);", `  return ${extra}(parsed);`, "}"].join("\n");
    const text = [block("first", "render"), ...code(30), block("second", "renders"), ...code(30)].join("\n");
    const error = refusal(text, block("zeroth", "rendering"));
    expect(error.message).toMatch(/Almost as similar: lines \d+ to \d+ \(\d+ %\)\./);
    expect(error.details).toMatchObject({ line: expect.any(Number), others: [{ line: expect.any(Number) }] });
  });

  it("K06 one line that is the same is shown, beside any invented lines", () => {
    const lines = code(200);
    const foreign = fc.array(fc.stringMatching(/^[αβγδ]{3,9} [αβγδ]{3,9}$/), { minLength: 3, maxLength: 8 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 199 }), foreign, fc.nat(7), (row, around, at) => {
        const { message } = refusal(lines.join("\n"), around.toSpliced(at, 0, lines[row] ?? "").join("\n"));
        expect(message).toContain(`${String(row + 1).padStart(6)}\t${lines[row]}`);
      }),
    );
  });

  it("K06 a paragraph that is wrapped elsewhere is found by its words", () => {
    const lines = ["Every call declares its effects, and", "what follows from them is decided", "in one place only."];
    const text = ["# Title", "", ...lines, ""].join("\n");
    const error = refusal(text, lines.join(" ").replace("place", "spot"));
    expect(error.message).toContain("The nearest passage is lines 3 to 5");
    expect(error.message).toContain("because its line breaks differ.");
  });

  it("K06 says when the file changed since it was read, and when the edit was already made", () => {
    expect(refusal("text", "other words", { hasChanged: true })).toMatchObject({
      message: expect.stringContaining("has changed since it was read"),
      hint: expect.stringContaining("Read the file again"),
    });
    expect(refusal("a\nconst answer = 42;\n", "const answer = 41;", {}, "const answer = 42;").hint).toBe(
      "new_string is already in the file, on line 2: this edit seems to be done already.",
    );
  });

  it("K06 names the edit of a list", () => {
    expect(refusal("text", "other words", { label: "edits[3]" }).message).toMatch(
      /^edits\[3\]\.old_string is not in f/,
    );
  });
});

describe("the work of an edit", () => {
  /** Milliseconds of CPU, because tests of others run beside this one. */
  const cpu = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const lines = code(2000);
  const text = lines.join("\n");

  it("K06 nothing found in 2,000 lines is answered at once", () => {
    const old = lines.slice(900, 908).join("\n").replaceAll("compute", "comptue");
    const times = Array.from({ length: 9 }, () => cpu(() => refusal(text, old))).sort((a, b) => a - b);
    expect(times[4]).toBeLessThan(60);
  });

  it.each([
    ["a line of a million letters", "a".repeat(1_000_000), `b${"a".repeat(5000)}`],
    ["half a million equal lines", "x\n".repeat(500_000), `${"x\n".repeat(3000)}y`],
    ["overlapping places everywhere", "foo(a)  \n".repeat(200_000), "foo(a)\n".repeat(300)],
    ["many lines that are nearly it", "foo(a) { bar }\n".repeat(100_000), "fooo(a) { bar }\n".repeat(300)],
  ])("K06 %s stays within bounds", (_, file, old) => {
    expect(cpu(() => refusal(file, old))).toBeLessThan(2500);
  });
});
