import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";
import { readThroughLinks } from "./reader/output-files/links.ts";
import "../../../test/support/seed.ts";

const opened = (command: string, ...links: string[]): string[] => {
  const trees = readThroughLinks(analyseShell(command, { cwd: "/w", home: "/home/u" }).effects);
  return links.filter((link) => trees.some(({ opens }) => opens(`/w/${link}`)));
};

describe("links that a command opens because it is given their names", () => {
  it.each([
    ["cat *.md", ["a.md", ".b.md"], ["a.ts", "docs", "docs/a.md", "docs/deep/b.md"]],
    ["head -5 src/*.ts", ["src/a.ts"], ["src/a.md", "src/x/a.ts"]],
    ["sort src/*/index.ts", ["src/a", "src/a/index.ts"], ["src/a/b.ts", "src/a/index.ts/x"]],
    ["grep x notes* ./docs/?.md", ["notes", "notes.txt", "docs/a.md"], ["docs/ab.md", "src/a"]],
    ["cat src//*//b", ["src/x", "src/x/b"], ["src/x/c"]],
    ["CAT=1; cat *.MD", ["a.md"], ["a.ts"]],
  ])("G07 %s opens %s, not %s", (command, those, others) => {
    expect(opened(command, ...those, ...others)).toEqual(those);
  });

  it.each([
    ...[
      "cat **/*.md",
      "cat {a,b}*.md",
      "cat [ab].md",
      "cat 'a b'*.md",
      'for f in *.md; do cat "$f"; done',
      "diff -r . src",
    ],
    ...[
      "find . | xargs cat",
      "find . -type f -o -name x | xargs cat",
      "find . ! -type f | xargs cat",
      "ls | xargs cat",
    ],
    ...["find . -print -type f | xargs cat", "find -L . -type f | xargs cat", "find . -type l -exec cat {} \\;"],
    ...[
      "find . -exec cat {} \\; -type f",
      "find . -type f -exec cat {} \\; -o -exec head {} \\;",
      "git ls-files | xargs cat",
    ],
    ...["find . -type f,l | xargs cat", "find . -xtype f | xargs cat", "find . -type f | xargs cat; ls | xargs head"],
    ...["find . \\( -type f -o -name x \\) | xargs cat", "find . -type f , -name x -exec cat {} +"],
    ...["rg -lL x | xargs head", "grep -lR x . | xargs head", "grep -l x * | xargs head", "fd x | xargs cat"],
    ...["cat $(find . -type f)", "find . -type f | xargs cat *.md x"],
  ])("G07 %s may open any", (command) => {
    const all = opened(command, "a.md", "src/x", "src/deep/y");
    const trees = readThroughLinks(analyseShell(command, { cwd: "/w", home: "/home/u" }).effects);
    const asks = analyseShell(command, { cwd: "/w", home: "/home/u" }).effects.some(
      (effect) =>
        effect.do === "unknown" ||
        (effect.do === "run" && effect.opaque) ||
        (effect.do === "read" && effect.path === "/"),
    );
    expect(asks || (trees.length > 0 && all.length === 3)).toBe(true);
  });

  it.each([
    ...[
      "find . -type f | xargs cat",
      "find . -type f -exec cat {} +",
      "find . -name '*.ts' -type f -print0 | xargs -0 head -5",
    ],
    ...["find . -name node_modules -prune -o -type f -print | xargs cat", "find src -type f | head -3 | xargs wc -l"],
    ...[
      "find . \\( -name a -o -name b \\) -type f | xargs cat",
      "find . -type f -not -name x | grep -v y | xargs sed -n 1p",
    ],
    ...["grep -rl x src | xargs head", "rg -l x | xargs cat", "rg --files | xargs cat", "grep -r x .", "rg x", "ls *"],
  ])("G07 %s opens none", (command) => {
    expect(opened(command, "a.md", "src/x", "src/deep/y")).toEqual([]);
  });

  it("G07 a pattern and what it is tried on agree with the shell's own rules, on the way to a match too", () => {
    const piece = fc
      .stringMatching(/^[ab*?.]{1,4}$/)
      .filter((one) => /[*?]/.test(one) && !one.includes("**") && !/^[.?*]*$/.test(one));
    const name = fc.stringMatching(/^[ab][ab.]{0,3}$/);
    // A pattern of one segment, tried by a matcher of its own: no library, character by character.
    const fits = (pattern: string, text: string): boolean =>
      pattern === ""
        ? text === ""
        : pattern[0] === "*"
          ? fits(pattern.slice(1), text) || (text !== "" && fits(pattern, text.slice(1)))
          : text !== "" && (pattern[0] === "?" || pattern[0] === text[0]) && fits(pattern.slice(1), text.slice(1));
    fc.assert(
      fc.property(piece, name, (pattern, link) => {
        expect([pattern, link, opened(`cat ./${pattern}`, link).length === 1]).toEqual([
          pattern,
          link,
          fits(pattern, link),
        ]);
      }),
      { numRuns: 400 },
    );
  });
});
