import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";
import { openedUnnamed } from "./reader/output-files/opened.ts";
import "../../../test/support/seed.ts";

const opens = (command: string, ...files: string[]): string[] => {
  const { effects } = analyseShell(command, { cwd: "/w", home: "/home/u" });
  const trees = openedUnnamed(effects);
  return files.filter((file) => trees.some((tree) => tree.opens(`/w/${file}`)));
};

describe("files that a command shows although nobody named them", () => {
  const all = ["a.pem", "src/b.pem"];
  it.each([
    ...[
      "grep -r x .",
      "grep -rn --include='*.pem' x .",
      "grep -r --exclude='*.md' --include='*.ts' x .",
      "rg x",
      "diff -r . src",
    ],
    ...["grep -r -e --include=z .", "grep -re --exclude=a.pem x", "grep -r --include='*.{ts,pem}' x .", "rg -e -t ."],
    ...[
      "grep -r --exclude='*.PEM' x .",
      "rg -g '!*.pem' -g '*.pem' x",
      "rg -r -g '*.ts' x",
      "find . -path -name '*.ts' | xargs cat",
      "rg --type-add 'k:*.pem' -t k x",
    ],
    ...[
      "find . -type f | xargs cat",
      "find . -name '*.ts' -o -type f | xargs cat",
      "find . -name 'x*' -name '*y' -o -type f | xargs cat",
    ],
    ...["find . ! ! -name '*.pem' | xargs cat", "find . \\( -not -name '*.pem' -o -name a \\) | xargs cat"],
  ])("G17 %s may show any", (command) => {
    const { effects } = analyseShell(command, { cwd: "/w", home: "/home/u" });
    const asks = effects.some((effect) => effect.do === "unknown" || (effect.do === "run" && effect.opaque));
    expect(asks || opens(command, ...all).length === 2).toBe(true);
  });

  it.each([
    ...[
      "grep -rn --include='*.ts' --include='*.md' x .",
      "grep -r --exclude='*.pem' x .",
      "rg -t ts x",
      "rg -g '*.ts' x",
    ],
    ...[
      "rg -g '!*.pem' x",
      "find . -name '*.ts' -type f | xargs cat",
      "find . -name '*.ts' -o -name '*.md' | xargs cat",
    ],
    ...[
      "find . -type f -not -name '*.pem' -exec cat {} +",
      "cat *.ts src/*.ts",
      "ls -R",
      "git grep x",
      "wc -l *",
      "cat a.ts",
    ],
  ])("G17 %s shows none", (command) => expect(opens(command, ...all)).toEqual([]));

  it("G17 law: a file that grep's options let through by the shell's own rules is never left out", () => {
    const glob = fc.stringMatching(/^[ab*?.]{1,4}$/);
    const name = fc.stringMatching(/^[ab][ab.]{0,3}$/);
    const fits = (pattern: string, text: string): boolean =>
      pattern === ""
        ? text === ""
        : pattern[0] === "*"
          ? fits(pattern.slice(1), text) || (text !== "" && fits(pattern, text.slice(1)))
          : text !== "" && (pattern[0] === "?" || pattern[0] === text[0]) && fits(pattern.slice(1), text.slice(1));
    const option = fc.record({ kind: fc.constantFrom("include", "exclude"), glob });
    fc.assert(
      fc.property(fc.array(option, { maxLength: 3 }), name, (options, file) => {
        const words = options.map((one) => `--${one.kind}='${one.glob}'`).join(" ");
        const last = options.findLast((one) => fits(one.glob, file));
        const isRead = last ? last.kind === "include" : options[0]?.kind !== "include";
        expect([words, file, !isRead || opens(`grep -r ${words} x .`, file).length === 1]).toEqual([words, file, true]);
      }),
      { numRuns: 400 },
    );
  });
});
