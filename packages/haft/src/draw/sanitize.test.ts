import fc from "fast-check";
import { expect, it } from "vitest";
import { oneLine, programOutput, visible } from "./sanitize.ts";

const ESC = "\u001b";

it.each([
  ["moves the cursor", `safe${ESC}[2J${ESC}[1;1Hpwned`, "safepwned"],
  ["sets the title", `a${ESC}]0;title\u0007b`, "ab"],
  ["makes a link", `${ESC}]8;;https://evil.example${ESC}\\text${ESC}]8;;${ESC}\\`, "text"],
  ["writes to the clipboard", `x${ESC}]52;c;cm0gLXJm\u0007y`, "xy"],
  ["uses the one-byte forms", "a\u009b2Jb\u009d0;t\u009cc", "abc"],
  ["sends a device string", `a${ESC}Pq#0;2;0;0;0${ESC}\\b`, "ab"],
  ["swallows nothing with a string that has no end", `a${ESC}]0;the rest stays`, "a0;the rest stays"],
  ["overwrites its line", "looks safe\rrm -rf /", "looks safe\nrm -rf /"],
  ["erases with backspaces", "ab\b\bxy", "ab␈␈xy"],
])("U16 program output that %s does no harm", (_what, text, shown) => {
  expect(programOutput(text, true)).toBe(shown);
});

it("U16 colours of a program stay where colours are shown, and end with the text", () => {
  expect(programOutput(`${ESC}[31mred`, true)).toBe(`${ESC}[31mred${ESC}[0m`);
  expect(programOutput(`${ESC}[38;5;8mgrey${ESC}[39m`, true)).toContain(`${ESC}[38;5;8m`);
  expect(programOutput(`${ESC}[31mred`, false)).toBe("red");
});

it("U16 text that a colour conceals is shown", () => {
  expect(programOutput(`a${ESC}[8mhidden${ESC}[0m`, true)).not.toContain("[8m");
  expect(programOutput(`a${ESC}[1;8mhidden`, true)).toBe("ahidden");
});

it("U16 bidi and invisible characters become visible", () => {
  expect(visible("user\u202e\u2066// check")).toBe("user‹U+202E›‹U+2066›// check");
  expect(visible("pass\u200bword\u{e0041}\u3164\ufeff")).toBe("pass‹U+200B›word‹U+E0041›‹U+3164›‹U+FEFF›");
  expect(visible("\ud800x")).toBe("‹U+D800›x");
});

it("U16 a joiner stays between two pictures only", () => {
  expect(visible("👩‍💻 ok")).toBe("👩‍💻 ok");
  expect(visible("rm\u200d -rf")).toBe("rm‹U+200D› -rf");
});

it("U16 text that a person decides on keeps every escape in sight", () => {
  expect(visible(`echo ${ESC}[8mrm -rf /`)).toBe("echo ␛[8mrm -rf /");
  expect(oneLine("a\nb\tc")).toBe("a␊b c");
});

it("U16 plain text of any language is left alone", () => {
  for (const text of ["naïve café", "日本語\tテスト\n", "العربية", "🇩🇪 ☃️ €"]) expect(visible(text)).toBe(text);
});

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(ESC, "[", "]", "m", "8", "0", ";", "H", "\u0007", "\\", "\u009b", "\u0000", "\r", "\n", "\u202e"),
    fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
  ),
});

/** Characters that must not reach a terminal: controls other than tab and line feed, and characters that reorder. */
const steers = (text: string): boolean =>
  [...text].some((character) => {
    const code = character.codePointAt(0) ?? 0;
    const isControl = (code < 0x20 && code !== 0x09 && code !== 0x0a) || (code >= 0x7f && code < 0xa0);
    return isControl || (code >= 0x202a && code <= 0x202e);
  });

it("U16 no control character but tab, line feed and colours comes out, for any input", () => {
  const colour = new RegExp(`${ESC}\\[[0-9;:]*m`, "g");
  fc.assert(
    fc.property(nasty, (text) => {
      expect(steers(programOutput(text, true).replaceAll(colour, ""))).toBe(false);
      expect(steers(programOutput(text, false))).toBe(false);
      expect(steers(visible(text))).toBe(false);
    }),
  );
});
