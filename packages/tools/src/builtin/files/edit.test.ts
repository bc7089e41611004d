import { readFile, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { replaceText } from "../support/replace.ts";
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

  it("K05 a passage that occurs twice is refused, with the lines", async () => {
    await writeFile(at("a.txt"), "x = 1\ny\nx = 1\n");
    const error = await failure(use("x = 1", "x = 2"));
    expect(error).toMatchObject({ code: "match_ambiguous", details: { lines: [1, 3] } });
    expect(await content()).toBe("x = 1\ny\nx = 1\n");
  });

  it("K05 replace_all replaces every occurrence", async () => {
    await writeFile(at("a.txt"), "a b a b a");
    expect((await use("a", "$&$1", { replace_all: true })).output.replacements).toBe(3);
    expect(await content()).toBe("$&$1 b $&$1 b $&$1");
  });

  it("K05 $& and its kin are ordinary characters", async () => {
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

  it("K05 what is not there is answered with the closest lines", async () => {
    await writeFile(at("a.txt"), `${"filler\n".repeat(50)}function add(a, b) {\n\treturn a + b;\n}\n`);
    const error = await failure(use("function add(a, b) {\n    return a + b;\n}", "x"));
    expect(error.code).toBe("match_not_found");
    expect(error.message).toContain("differ from it only in white space");
    expect(error.message).toContain("    51\tfunction add(a, b) {");
    expect(error.details).toMatchObject({ line: 51 });
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

  it("K05 looking for the closest lines in a large file is fast", async () => {
    const text = Array.from({ length: 100_000 }, (_, index) => `const value${index} = ${index} * 2;`).join("\n");
    await writeFile(at("a.txt"), text);
    const started = performance.now();
    await failure(use("const valu99999 = 99999 * 2;\nnothing like it", "x"));
    expect(performance.now() - started).toBeLessThan(1500);
  });
});

describe("replaceText", () => {
  const piece = fc.constantFrom("a", "b", "\n", "\r\n", "$", "ü", " ");
  const texts = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

  it("K05 changes the passage and nothing else, whatever the line ends", () => {
    fc.assert(
      fc.property(texts, texts, texts, (head, tail, next) => {
        const text = `${head}<old\r\npart>${tail}`;
        const file = { text, eol: "\n" as const };
        const wish = { old_string: "<old\npart>", new_string: `<${next}>` };
        const replaced = replaceText("f", file, wish).text;
        expect(replaced).toBe(`${head}<${next.replaceAll("\r\n", "\n")}>${tail}`);
      }),
    );
  });
});
