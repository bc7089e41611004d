import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseShell, riskyGitConfig, visible } from "./index.ts";

describe("the text that a prompt shows", () => {
  it("G07 makes control, bidirectional and invisible characters visible, and counts padding", () => {
    expect(visible("a\u202Eb\u200Bc\u0007\u00A0\u2800\u3164\tx\ny")).toBe(
      "a\\u{202E}b\\u{200B}c\\u{7}\\u{A0}\\u{2800}\\u{3164}\\tx\ny",
    );
    expect(visible(`ls${" ".repeat(200)}; rm x`)).toBe("ls[200 spaces]; rm x");
    expect(visible("größe 漢字 🙂")).toBe("größe 漢字 🙂");
  });

  it("G07 shows nothing but visible characters for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        expect(visible(text)).not.toMatch(/[\p{Cf}\p{Co}\p{Cs}]|(?!\n)\p{Cc}/u);
      }),
    );
  });
});

describe("the analysis is total", () => {
  it("G06 answers for any text, and never with less than a reader, a writer or a question", () => {
    const pieces = fc.constantFrom(
      "ls",
      "cat ",
      "$(",
      ")",
      "`",
      "'",
      '"',
      "\\",
      "\n",
      ";",
      "|",
      "&",
      "<<",
      "E\n",
      "{",
      "}",
      "$x",
      "((",
      "))",
      "[[",
      "]]",
      "\u0000",
      "é",
      "if ",
      "fi",
      "do ",
      "=",
      "~",
      "*",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 40 }),
          fc.array(pieces, { maxLength: 12 }).map((all) => all.join("")),
        ),
        (script) => {
          const { effects, opaque, problem } = analyseShell(script, { cwd: "/w", home: "/h" });
          const isOpen = effects.some((effect) => effect.do === "unknown" || (effect.do === "run" && effect.opaque));
          expect(opaque).toBe(isOpen);
          if (problem !== undefined) expect(opaque).toBe(true);
          for (const effect of effects)
            if (effect.do === "read" || effect.do === "write") expect(effect.path).toMatch(/^\//);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe("a git configuration", () => {
  it("G02 is tame without keys that run something", () => {
    const tame =
      '[core]\n\tbare = false\n\trepositoryformatversion = 0\n[remote "origin"]\n\turl = https://x/y\n[alias]\n\tst = status\n[core]\n\thooksPath = .husky\n[remote "o"]\n\tfetch = +refs/*:refs/*\n[user]\n\tname = a\n# x\n[branch "main"]\n\tremote = origin\n';
    expect(riskyGitConfig(tame)).toEqual([]);
  });

  it.each([
    ["[core]\n\tfsmonitor = ./x", "core.fsmonitor"],
    ["[CORE] FSMonitor=./x", "CORE.FSMonitor"],
    ['[diff "x"]\n textconv = sh', "diff.x.textconv"],
    ['[filter "lfs"]\n clean = x', "filter.lfs.clean"],
    ["[include]\n path = x", "include.path"],
    ["[gpg]\n program = x", "gpg.program"],
    ["[diff]\n external = x", "diff.external"],
    ["[core]\n pager", "core.pager"],
    ['[merge "x"]\n driver = sh', "merge.x.driver"],
    ["[log]\n diffMerges = remerge", "log.diffMerges"],
    ["nonsense", "nonsense"],
    ["[user]\n name = a\\\n[core]\n[core]\n fsmonitor = x", "core.fsmonitor"],
  ])("G02 %j is not", (text, key) => expect(riskyGitConfig(text)).toContain(key));
});
