import type { Display } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { drawDisplay, tail } from "./display.ts";
import { PLAIN, type Style } from "./style.ts";

const COLOR: Style = { color: true, width: 80 };
const ESC = "\u001b";

const diff: Display = {
  kind: "diff",
  path: "/w/a.ts",
  before: "one\ntwo\n",
  after: "one\n2\n",
  added: 1,
  removed: 1,
  unified: "--- a\n+++ b\n@@ -9,2 +9,2 @@\n one\n-two\n+2\n@@ -20,1 +20,1 @@\n-x\n+y\n",
};

describe("a diff", () => {
  it("U02 has counts, line numbers and marks", () => {
    expect(drawDisplay(diff, PLAIN).split("\n")).toEqual([
      "/w/a.ts  +1 -1",
      " 9   one",
      "10 - two",
      "10 + 2",
      "…",
      "20 - x",
      "20 + y",
    ]);
  });

  it("U02 is coloured where colours are shown, and gives up its numbers on a narrow terminal", () => {
    const notes = ["The file belonged to user 0 and belongs to this user now."];
    expect(
      drawDisplay({ ...diff, notes }, PLAIN)
        .split("\n")
        .at(-1),
    ).toBe(notes[0]);
    expect(drawDisplay(diff, COLOR)).toContain(`${ESC}[32m10 + 2${ESC}[39m`);
    expect(drawDisplay(diff, { color: false, width: 30 })).toContain("\n- two\n");
  });

  it("U02 a long line is cut where nothing changes, and the changed part is whole", () => {
    const [left, right] = ["l".repeat(9_999), "r".repeat(9_999)];
    const unified = `@@ -1,3 +1,3 @@\n ${left}\n-${left}old${right}\n+${left}${"new ".repeat(900)}${right}\n-gone ${left}\n`;
    const lines = drawDisplay({ ...diff, unified }, PLAIN).split("\n");
    const [near, far] = ["l".repeat(200), "r".repeat(200)];
    expect(lines[1]).toBe(`1   ${near}…(9599 characters)…${near}`);
    expect(lines[2]).toBe(`2 - ${near}…(9599 characters)…${near}old${far}…(9599 characters)…${far}`);
    expect(lines[3]).toBe(`2 + ${near}…(9599 characters)…${near}${"new ".repeat(900)}${far}…(9599 characters)…${far}`);
    expect(lines[4]).toBe(`3 - gone ${left}`);
  });

  it("U02 has room for any number of lines", () => {
    const unified = `@@ -0,0 +1,300000 @@\n${"+x\n".repeat(300_000)}`;
    expect(drawDisplay({ ...diff, unified }, PLAIN).split("\n")).toHaveLength(300_001);
  });

  it("U16 shows what hides in a changed line", () => {
    const hidden = { ...diff, unified: `@@ -1,0 +1,1 @@\n+a${ESC}[2K\u202eb\n` };
    expect(drawDisplay(hidden, PLAIN)).toContain("+ a␛[2K‹U+202E›b");
  });
});

it("U04 matches have path and line, the hit marked", () => {
  const matches: Display = {
    kind: "matches",
    matches: [{ path: "/w/a.ts", line: 7, text: "let foo = 1", ranges: [[4, 7]] }],
    more: 1200,
  };
  expect(drawDisplay(matches, PLAIN)).toBe("/w/a.ts:7: let foo = 1\n… and 1,200 more");
  expect(drawDisplay(matches, COLOR)).toContain(`let ${ESC}[33mfoo${ESC}[39m = 1`);
});

it("shows a command, its output and how it ended", () => {
  const terminal: Display = { kind: "terminal", command: "make\nmake test", text: "bad\n\n", exitCode: 2 };
  expect(drawDisplay(terminal, PLAIN)).toBe("$ make\n  make test\nbad\nexit code 2");
});

it("draws every kind of display, and each says what it holds", () => {
  const displays: readonly (readonly [Display, string])[] = [
    [{ kind: "text", text: "words\n" }, "words"],
    [{ kind: "markdown", text: "# words" }, "# words"],
    [
      {
        kind: "files",
        files: [
          { path: "src", kind: "directory" },
          { path: "a", kind: "file", size: 1234 },
        ],
      },
      "src/\na  1,234 bytes",
    ],
    [
      {
        kind: "todos",
        todos: [
          { content: "a", status: "completed" },
          { content: "b", status: "in_progress" },
          { content: "c", status: "pending" },
        ],
      },
      "[x] a\n[>] b\n[ ] c",
    ],
    [{ kind: "table", columns: ["a", "bb"], rows: [["long", "x"]] }, "a     bb\nlong  x"],
    [{ kind: "image", data: "AAAA", mediaType: "image/png", alt: "logo" }, "[logo, image/png, 3 bytes]"],
    [{ kind: "progress", text: "copying", done: 1, total: 3 }, "copying (1 of 3)"],
    [{ kind: "group", title: "two", items: [{ kind: "text", text: "a\nb" }] }, "two\n  a\n  b"],
  ];
  for (const [display, drawn] of displays) expect(drawDisplay(display, PLAIN)).toBe(drawn);
});

it("U16 names, titles and cells cannot steer the terminal either", () => {
  const evil = `x${ESC}]0;t\u0007\ny`;
  const displays: readonly Display[] = [
    { kind: "files", files: [{ path: evil, kind: "file" }] },
    { kind: "matches", matches: [{ path: evil, line: 1, text: evil }] },
    { kind: "todos", todos: [{ content: evil, status: "pending" }] },
    { kind: "table", columns: [evil], rows: [[evil]] },
    { kind: "image", data: "", mediaType: evil, alt: evil },
    { kind: "progress", text: evil },
    { kind: "group", title: evil, items: [] },
    { kind: "text", text: evil },
    { kind: "terminal", text: evil, command: evil },
  ];
  for (const display of displays) expect(drawDisplay(display, PLAIN)).not.toContain(ESC);
});

it("keeps the tail of what is long, and says how much went before", () => {
  expect(tail("1\n2\n3\n4", 2, PLAIN)).toBe("… 2 lines before\n3\n4");
  expect(tail("1\n2", 2, PLAIN)).toBe("1\n2");
});
