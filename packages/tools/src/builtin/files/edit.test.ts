import { readFile, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { replaceText } from "./edit/replace.ts";
import { edit } from "./edit.ts";
import { read } from "./read.ts";

let world: World;
const at = (name: string) => `${world.folder}/${name}`;
const use = (old_string: string, new_string: string, rest: { replace_all?: boolean } = {}) =>
  world.use(edit, { file_path: "a.txt", old_string, new_string, ...rest });
const content = () => readFile(at("a.txt"), "utf8");

beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

describe("Edit", () => {
  it("K05 replaces one passage and gives the diff", async () => {
    await writeFile(at("a.txt"), "one\ntwo\nthree\n");
    const { output, display, text } = await use("two", "2");
    expect(await content()).toBe("one\n2\nthree\n");
    expect(output).toMatchObject({ replacements: 1, lines: [2], added: 1, removed: 1 });
    expect(output.diff).toContain("-two\n+2\n");
    expect(display).toMatchObject({ kind: "diff", before: "one\ntwo\nthree\n", after: "one\n2\nthree\n" });
    expect(text).toBe(`Edited ${at("a.txt")}: 1 replacement at line 2.`);
  });

  it.each([
    ["paper.pdf", "%PDF-1.4\n1 0 obj\n", /PDF/, /qpdf/],
    ["book.ipynb", '{"cells": [], "nbformat": 4, "metadata": {"a": 1}}', /notebook/, /NotebookEdit/],
    ["BOOK.IPYNB", '{"cells": [], "nbformat": 4, "metadata": {"a": 1}}', /notebook/, /NotebookEdit/],
  ])("K05 K08 %s is not edited as raw text, and the right tool is named", async (name, content, message, hint) => {
    await writeFile(at(name), content);
    const error = await failure(world.use(edit, { file_path: name, old_string: "1", new_string: "2" }));
    expect(error).toMatchObject({ code: "validation_failed", message: expect.stringMatching(message) });
    expect(error.hint).toMatch(hint);
    expect(await readFile(at(name), "utf8")).toBe(content);
  });

  it("K05 a notebook that no program can open is mended as text", async () => {
    await writeFile(at("broken.ipynb"), '{"cells": [1,], "a": 1}');
    await world.use(edit, { file_path: "broken.ipynb", old_string: "[1,]", new_string: "[]" });
    expect(await readFile(at("broken.ipynb"), "utf8")).toBe('{"cells": [], "a": 1}');
  });

  it("K05 a passage that occurs twice is refused, with the lines", async () => {
    await writeFile(at("a.txt"), "x = 1\ny\nx = 1\n");
    const error = await failure(use("x = 1", "x = 2"));
    expect(error).toMatchObject({ code: "match_ambiguous", details: { lines: [1, 3] } });
    expect(await content()).toBe("x = 1\ny\nx = 1\n");
  });

  it("K05 places on one line are counted, and the line is named once", async () => {
    await writeFile(at("a.txt"), `${"x".repeat(2000)}\n`);
    const { message } = await failure(use("x", "y"));
    expect(message).toBe(`old_string occurs 2,000 times in ${at("a.txt")}: all on line 1.`);
  });

  it("K05 replace_all replaces every occurrence", async () => {
    await writeFile(at("a.txt"), "a b a b a");
    expect((await use("a", "$&$1", { replace_all: true })).output.replacements).toBe(3);
    expect(await content()).toBe("$&$1 b $&$1 b $&$1");
  });

  it("K05 replace_all has no number of places that is too large", async () => {
    await writeFile(at("a.txt"), "a ".repeat(200_000));
    expect((await use("a", "b", { replace_all: true })).output.replacements).toBe(200_000);
    expect(await content()).toBe("b ".repeat(200_000));
  });

  it("K05 $& and similar patterns are ordinary characters", async () => {
    await writeFile(at("a.txt"), "price");
    await use("price", "$& $$ $` $' $1 \\n");
    expect(await content()).toBe("$& $$ $` $' $1 \\n");
  });

  it("K05 empty and identical strings are refused", async () => {
    await writeFile(at("a.txt"), "x");
    expect(await failure(use("", "y"))).toMatchObject({ code: "invalid_input" });
    expect(await failure(use("x", "x"))).toMatchObject({ code: "no_change" });
  });

  it("K05 a file with CRLF is edited by text with LF and keeps its line ends", async () => {
    await writeFile(at("a.txt"), "\ufeffone\r\ntwo\r\nthree\r\n");
    await use("one\ntwo", "eins\nzwei\ndrei");
    expect(await content()).toBe("\ufeffeins\r\nzwei\r\ndrei\r\nthree\r\n");
  });

  it("K05 lines outside the passage keep their ends where they are mixed", async () => {
    await writeFile(at("a.txt"), "one\ntwo\r\nthree\nfour\r\nfive\r\n");
    await use("three", "3");
    expect(await content()).toBe("one\ntwo\r\n3\nfour\r\nfive\r\n");
  });

  it("K05 a misspelt line is found by its letters", async () => {
    await writeFile(at("a.txt"), "alpha beta\nconst answer = compute(42);\nomega\n");
    expect((await failure(use("const anwser = comptue(42);", "x"))).message).toContain(
      "     2\tconst answer = compute(42);",
    );
  });

  it("K05 line numbers copied from Read are recognised", async () => {
    await writeFile(at("a.txt"), "one\ntwo\n");
    expect((await failure(use("     1\tone", "x"))).hint).toContain("line numbers");
  });

  it("K05 a file that changed since it was read is edited where the passage still fits, and that is said", async () => {
    await writeFile(at("a.txt"), "one\ntwo\n");
    await world.use(read, { file_path: "a.txt" });
    await writeFile(at("a.txt"), "zero\none\ntwo\n");
    const { output, text } = await use("two", "2");
    expect(output.changedOnDisk).toBe(true);
    expect(text).toContain("had changed on disk");
    expect(await content()).toBe("zero\none\n2\n");
  });

  it("K05 J01 a missing file: did you mean", async () => {
    await writeFile(at("a.text"), "x");
    expect(await failure(use("x", "y"))).toMatchObject({
      code: "file_not_found",
      hint: `Did you mean ${at("a.text")}?`,
    });
  });

  it("K05 the preview is the diff; one that cannot be fails as the edit would", async () => {
    await writeFile(at("a.txt"), "one\n");
    const wish = { file_path: "a.txt", old_string: "one", new_string: "1" };
    expect(await edit.preview?.(wish, world.effectContext)).toMatchObject({ kind: "diff", added: 1, removed: 1 });
    const lost = edit.preview?.({ ...wish, old_string: "two" }, world.effectContext);
    expect(await failure(Promise.resolve(lost))).toMatchObject({ code: "match_not_found" });
    expect(await content()).toBe("one\n");
  });

  it("K05 the way in which the passage was found is said", async () => {
    await writeFile(at("a.txt"), "class A {\n\tfoo() {\n\t\treturn 1;\n\t}\n}\n");
    const { output, text } = await use("  foo() {\n    return 1;\n  }", "  foo() {\n    return 2;\n  }");
    expect(await content()).toBe("class A {\n\tfoo() {\n\t\treturn 2;\n\t}\n}\n");
    expect(output.strategies).toEqual(["indentation"]);
    expect(text).toContain("Matched by indentation:");
  });

  it("K05 H06 the display has path, both texts, the unified diff and the counts", async () => {
    await writeFile(at("a.txt"), "one\ntwo\n");
    expect((await use("two", "2\n3")).display).toEqual({
      kind: "diff",
      path: at("a.txt"),
      before: "one\ntwo\n",
      after: "one\n2\n3\n",
      added: 2,
      removed: 1,
      unified: expect.stringContaining("@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n"),
    });
  });
});

describe("replaceText", () => {
  const piece = fc.constantFrom("a", "b", "\n", "\r\n", "$", "ü", " ");
  const texts = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

  it("K05 changes the passage and nothing else, with any line ends", () => {
    fc.assert(
      fc.property(texts, texts, texts, (head, tail, next) => {
        const text = `${head}<old\r\npart>${tail}`;
        const file = { text, eol: "\n" as const };
        const wish = { old_string: "<old\npart>", new_string: `<${next}>` };
        const replaced = replaceText({ path: "f" }, file, wish).text;
        expect(replaced.startsWith(head) && replaced.endsWith(tail)).toBe(true);
        const inserted = replaced.slice(head.length, replaced.length - tail.length);
        expect(inserted.replaceAll("\r\n", "\n")).toBe(`<${next.replaceAll("\r\n", "\n")}>`);
      }),
    );
  });

  it("K05 an edit and its reverse give the file back where both passages stand once", () => {
    const line = fc.stringMatching(/^[ab $\\n]{0,6}$/);
    const block = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n"));
    const eol = fc.constantFrom("\n" as const, "\r\n" as const);
    fc.assert(
      fc.property(block, block, block, block, eol, (head, tail, old, next, end) => {
        const text = `${head}<${old}>${tail}`.replaceAll("\n", end);
        const there = replaceText(
          { path: "f" },
          { text, eol: end },
          { old_string: `<${old}>`, new_string: `<${next}|>` },
        );
        const back = replaceText(
          { path: "f" },
          { ...there, eol: end },
          { old_string: `<${next}|>`, new_string: `<${old}>` },
        );
        expect(back.text).toBe(text);
      }),
    );
  });

  it("K05 overlapping places are two places", () => {
    const twice = () => replaceText({ path: "f" }, { text: "aaa", eol: "\n" }, { old_string: "aa", new_string: "b" });
    expect(twice).toThrow("occurs 2 times");
  });
});
