import type { Display } from "@haft/core/tool";
import { expect, it } from "vitest";
import { followsLinks } from "../cli/terminal/terminal.ts";
import { drawDisplay } from "./display.ts";
import { withShownPaths } from "./place.ts";
import { wrapped } from "./style.ts";

const matches: Display = {
  kind: "matches",
  matches: [{ path: "src/a b.ts", line: 7, text: "let foo = 1", ranges: [[4, 7]] }],
};
const ESC = "\u001b";
const LINK = new RegExp(`${ESC}\\]8;;(file://[^${ESC}]+)${ESC}\\\\([^${ESC}]*)${ESC}\\]8;;${ESC}\\\\`);

it("U04 a hit leads to its file and line where the terminal follows links, and is plain elsewhere", () => {
  const style = { color: false, width: 80, cwd: "/w" };
  const [, url, text] = LINK.exec(drawDisplay(matches, { ...style, links: true })) ?? [];
  expect(text).toBe("src/a b.ts:7");
  expect(url).toMatch(/^file:\/\/[^/]*\/w\/src\/a%20b\.ts#L7$/);
  expect(drawDisplay(matches, style)).toBe("src/a b.ts:7: let foo = 1");
});

it("U04 a name cannot break out of its link", () => {
  const evil = { ...matches, matches: [{ path: "a\u001b\\\u0007;x", line: 1, text: "" }] };
  const drawn = drawDisplay(evil, { color: false, width: 80, cwd: "/w", links: true });
  expect(drawn.replace(LINK, "")).toBe(": ");
});

it("U04 a link takes no room", () => {
  const drawn = drawDisplay(matches, { color: false, width: 80, cwd: "/w", links: true });
  expect(wrapped(drawn, 30)).toBe(drawn);
});

it.each<[Record<string, string>, boolean]>([
  [{ TERM: "xterm-256color" }, false],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, true],
  [{ TERM: "xterm-256color", VTE_VERSION: "7600" }, true],
  [{ TERM: "xterm-kitty" }, true],
  [{ TERM: "xterm-kitty", CI: "true" }, false],
  [{ TERM: "tmux-256color", VTE_VERSION: "7600", TMUX: "/tmp/x" }, false],
  [{ TERM: "tmux-256color", TMUX: "/tmp/x", FORCE_HYPERLINK: "1" }, true],
  [{ TERM: "xterm-kitty", FORCE_HYPERLINK: "0" }, false],
])("U04 %j follows links: %s", (env, expected) => {
  expect(followsLinks(env)).toBe(expected);
});

it("U09 paths of the folder are shown relative to it, and nothing else is cut", () => {
  const style = { color: false, width: 80, cwd: "/w" };
  expect(withShownPaths(style, "writing /w/src/a.ts and '/w/b', not /x/w/c nor /w")).toBe(
    "writing src/a.ts and 'b', not /x/w/c nor /w",
  );
});
