import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replaceText } from "./replace.ts";

const use = (text: string, old_string: string, new_string: string, replace_all = false) =>
  replaceText(
    { path: "f" },
    { text, eol: text.includes("\r\n") ? "\r\n" : "\n" },
    { old_string, new_string, replace_all },
  );
const refusal = (text: string, old: string, next = "new", all = false): unknown => {
  try {
    return use(text, old, next, all).text;
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};

describe("an edit whose passage is not there to the letter", () => {
  it("K06 trailing-space: white space at line ends does not count, and stays where the line stays", () => {
    const file = "one   \ntwo\t\nthree\n";
    expect(use(file, "one\ntwo\n", "one\n2\n")).toMatchObject({
      text: "one   \n2\nthree\n",
      strategy: "trailing-space",
    });
  });

  it("K06 indentation: a shifted block is found, and the new text is shifted with it", () => {
    const file = "class A {\n    foo() {\n        return 1;\n    }\n}\n";
    const edited = use(file, "foo() {\n    return 1;\n}", "foo() {\n    if (x) {\n        return 2;\n    }\n}");
    expect(edited.strategy).toBe("indentation");
    expect(edited.text).toBe("class A {\n    foo() {\n        if (x) {\n            return 2;\n        }\n    }\n}\n");
  });

  it("K06 indentation: spaces become the file's tabs, also on levels that old_string does not have", () => {
    const file = "\tif (x) {\n\t\ty();\n\t}\n";
    const next = "    if (x) {\n        for (;;) {\n            z();\n        }\n    }";
    expect(use(file, "    if (x) {\n        y();\n    }", next).text).toBe(
      "\tif (x) {\n\t\tfor (;;) {\n\t\t\tz();\n\t\t}\n\t}\n",
    );
  });

  it("K06 indentation: steps of two become the file's steps of four", () => {
    const file = "a:\n    b:\n        c: 1\n";
    expect(use(file, "a:\n  b:\n    c: 1\n", "a:\n  b:\n    d:\n      e: 2\n").text).toBe(
      "a:\n    b:\n        d:\n            e: 2\n",
    );
  });

  it("K06 line-trim: unevenly indented lines are found; those that stay keep their own indentation", () => {
    const file = "  first();\n      second();\n  third();\n";
    const edited = use(file, "first();\nsecond();\nthird();", "first();\nsecond();\n3();");
    expect(edited).toMatchObject({ strategy: "line-trim", text: "  first();\n      second();\n  3();\n" });
  });

  it("K06 whitespace: runs between words do not count, also inside a line", () => {
    expect(use("if (a   &&\tb) { go() }\n", "a && b", "a || b")).toMatchObject({
      text: "if (a || b) { go() }\n",
      strategy: "whitespace",
    });
  });

  it("K06 unicode: quotes, dashes, spaces and composed letters, and only the passage is changed", () => {
    const file = "a “keep”\u00a0…\nsay “hi” – now\ncafe\u0301\n";
    expect(use(file, 'say "hi" - now', 'say "yo"')).toMatchObject({
      text: 'a “keep”\u00a0…\nsay "yo"\ncafe\u0301\n',
      strategy: "unicode",
    });
    expect(use(file, "café", "tea").text).toBe("a “keep”\u00a0…\nsay “hi” – now\ntea\n");
    expect(refusal(file, "- now\ncafe")).toBe("match_not_found");
  });

  it("K06 escapes: a passage escaped once too often; the new text loses only what the old one had", () => {
    expect(use('say("hi")\nbye\n', 'say(\\"hi\\")\\nbye', 'say(\\"yo\\")\\nprint("a\\tb")')).toMatchObject({
      text: 'say("yo")\nprint("a\\tb")\n',
      strategy: "escapes",
    });
  });

  it("K06 anchors: blank lines may come and go between lines that all match, and those of the file stay", () => {
    const file = "begin();\n\nmiddle();\n\n\nend();\n";
    expect(use(file, "begin();\nmiddle();\nend();", "begin();\nmiddle();\nfinish();")).toMatchObject({
      text: "begin();\n\nmiddle();\nfinish();\n",
      strategy: "anchors",
    });
    expect(use("one\nlast line", "\n\nlast line\n", "\n\nlast\n").text).toBe("one\nlast");
  });

  it("K06 CRLF stays in tolerated passages too", () => {
    const file = "  one\r\n  two\r\nthree\r\n";
    expect(use(file, "one\ntwo", "one\n2\nmore").text).toBe("  one\r\n  2\r\n  more\r\nthree\r\n");
  });

  it.each([
    ["a drifted line between matching ones", "f() {\n\tx := 1\n\ty := 2\n}\n", "f() {\n\tx := 1\n\ty := 99\n}"],
    ["lines between matching first and last ones", "f() {\n  keep();\n}\n", "f() {\n}\n"],
    ["a part of a word", "  foobar()\n", "foo  "],
    ["a passage with too little in it", "  {\n  }\n", "{\n}"],
    ["half of a folded character", "wait… now\n", "wait. now"],
  ])("K06 %s is no match", (_, file, old) => {
    expect(refusal(file, old)).toBe("match_not_found");
  });

  it("K06 a tolerated passage in two places is refused, overlapping ones too", () => {
    expect(refusal("  call();\n    call();\n", "call();  ")).toBe("match_ambiguous");
    expect(refusal("xxx \nyyy \nxxx \nyyy \nxxx \n", "xxx\nyyy\nxxx\n")).toBe("match_ambiguous");
    expect(refusal("  call();\n    call();\n", "call();  ", "go();", true)).toBe("  go();\n    go();\n");
  });

  it("K06 a stricter way decides: looser matches elsewhere do not make it ambiguous", () => {
    expect(use("  call( a );\ncall(  a  );\n", "call(  a  );", "x").text).toBe("  call( a );\nx\n");
  });
});

describe("laws of tolerated edits", () => {
  const word = fc.stringMatching(/^[a-z]{4,8}$/);
  const lines = fc.uniqueArray(word, { minLength: 5, maxLength: 12 });
  const perturb = fc.constantFrom(
    (line: string) => `${line}  `,
    (line: string) => `    ${line}`,
    (line: string) => `\t${line}\t`,
  );

  it("K06 only the line that was to change is changed, byte for byte", () => {
    fc.assert(
      fc.property(lines, perturb, fc.nat(), fc.constantFrom("\n", "\r\n"), (words, change, at, eol) => {
        const row = 1 + (at % (words.length - 3));
        const file = words.map((each, index) => `${index % 3 === 0 ? "  " : ""}say “${each}”${index % 2 ? " " : ""}`);
        const old = file.slice(row - 1, row + 2).map((line) => change(line.trim().replace(/[“”]/g, '"')));
        const next = [old[0], change("say nothing"), old[2]];
        const { text } = use(file.join(eol), old.join("\n"), next.join("\n"));
        const result = text.split(eol);
        expect(result.toSpliced(row, 1)).toEqual(file.toSpliced(row, 1));
        expect(result[row]?.trim()).toBe("say nothing");
      }),
    );
  });

  it("K06 a passage that stands twice is refused, for any difference", () => {
    fc.assert(
      fc.property(lines, perturb, (words, change) => {
        const block = words.slice(0, 3);
        const file = [...block, "between", ...block.map((each) => `  ${each}`)].join("\n");
        const old = block.map((each) => change(`   ${each}`)).join("\n");
        expect(refusal(file, old)).toBe("match_ambiguous");
      }),
    );
  });
});
