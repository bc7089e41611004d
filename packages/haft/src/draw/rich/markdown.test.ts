import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { columnAfter, PLAIN, type Style } from "../style.ts";
import { highlighter } from "./highlight.ts";
import { completeUpTo, drawMarkdown } from "./markdown.ts";

const COLOR: Style = { color: true, theme: "dark", width: 60, links: true };
const ESC = "\u001b";
const SGR = new RegExp(`${ESC}\\[[\\d;]*m`, "g");
const LINK = new RegExp(`${ESC}\\]8;;[^${ESC}]*${ESC}\\\\`, "g");

it("U14 Markdown is drawn as headings, lists, tables and code", () => {
  const text =
    "# Head\n\nSome **bold** words.\n\n- one\n  - two\n- [x] three\n\n| a | n |\n|---|--:|\n| x | 10 |\n\n```js\nlet a = 1;\n```\n\n> said\n";
  expect(drawMarkdown(text, { ...PLAIN, width: 60 }).split("\n")).toEqual([
    ...["Head", "", "Some bold words.", "", "• one", "  • two", "• ☒ three", "", "a │  n", "──┼───", "x │ 10", ""],
    ...["▏ let a = 1;", "", "│ said"],
  ]);
});

it("U14 code has the colours of its language, which end with each line", () => {
  const drawn = drawMarkdown("```ts\n/* two\nlines */ const a = 'x';\n```", {
    ...COLOR,
    highlight: highlighter(COLOR),
  });
  const [first = "", second = ""] = drawn.split("\n");
  expect(first).toContain(`${ESC}[38;5;245m/* two${ESC}[39m`);
  expect(second).toContain(`${ESC}[38;5;176mconst${ESC}[39m`);
});

it("U14 the target of a link is shown, and is followed only if it is a web address", () => {
  expect(drawMarkdown("[docs](https://a.example/b)", COLOR)).toContain(`${ESC}]8;;https://a.example/b${ESC}\\`);
  const odd = drawMarkdown("[docs](javascript:alert)", COLOR);
  expect(odd.replaceAll(SGR, "")).toBe("docs (javascript:alert)");
});

const pieces = fc.constantFrom(
  ...[
    "# ",
    "- ",
    "1. ",
    "| a | b |\n|---|---|\n| ",
    "```js\n",
    "```\n",
    "> ",
    "**",
    "`",
    "[x](",
    ")",
    "\n",
    "\n\n",
    " ",
    "word",
  ],
  ...[
    "日本語",
    "👩‍👩‍👧",
    "x".repeat(90),
    `${ESC}[2J`,
    `${ESC}]0;t\u0007`,
    "\u202e",
    "\u200b",
    "\r",
    "\t",
    "<b>",
    "&amp;",
  ],
);
const anyText = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""));

it("U16 every line of a model's text fits, and nothing but colours and links is written", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 20, max: 90 }), (text, width) => {
      const style = { ...COLOR, width, highlight: highlighter(COLOR) };
      for (const line of drawMarkdown(text, style).split("\n")) {
        const shown = line.replaceAll(SGR, "").replaceAll(LINK, "");
        expect(shown).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
        // The estimate of columns takes the lines of tables for wide.
        expect(columnAfter(shown.replaceAll(/[\u2500-\u259f]/g, "-"), 0)).toBeLessThanOrEqual(width + 2);
      }
    }),
    { numRuns: runs(500) },
  );
});

it("U14 a text that is still written is complete up to a point, and the part before it stays the same", () => {
  fc.assert(
    fc.property(anyText, anyText, (text, more) => {
      const end = completeUpTo(text);
      expect(end).toBeLessThanOrEqual(text.length);
      const whole = completeUpTo(text + more);
      // The parser gives up positions only where it has replaced something.
      if (end > 0 && whole > 0) expect(whole).toBeGreaterThanOrEqual(Math.min(end, whole));
    }),
    { numRuns: runs(300) },
  );
  expect(completeUpTo("One.\n\nTwo")).toBe("One.\n\n".length);
  expect(completeUpTo("```js\nlet a;\n\nlet b;")).toBe(0);
});

it("U14 Markdown that arrives letter by letter looks as if it had come at once", () => {
  const text =
    "> A quote\n\n- one\n  - nested with `code`\n- two\n\n  more of two\n\n- three\n\n1. first\n   - inner\n2. second\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.";
  const style = { ...PLAIN, width: 60 };
  const blocks: string[] = [];
  let from = 0;
  for (let to = 1; to <= text.length; to++) {
    const end = from + completeUpTo(text.slice(from, to));
    const block = text.slice(from, end);
    if (block.trim() !== "") blocks.push(drawMarkdown(block, style));
    from = end;
  }
  expect([...blocks, drawMarkdown(text.slice(from), style)].join("\n\n")).toBe(drawMarkdown(text, style));
});
