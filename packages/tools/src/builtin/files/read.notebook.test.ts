import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { read } from "./read.ts";
import { readManyFiles } from "./read-many-files.ts";

let world: World;
const put = (name: string, data: string | Uint8Array) => writeFile(`${world.folder}/${name}`, data);
const use = (file_path: string, rest: { offset?: number; limit?: number } = {}) =>
  world.use(read, { file_path, ...rest });
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const outputs = [
  { output_type: "stream", name: "stdout", text: ["hello\n", "\u001b[31mred\u001b[0m\n"] },
  { output_type: "display_data", data: { "text/plain": ["<Figure>"], "image/png": `${PIXEL}\n` }, metadata: {} },
  { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[0;31mE\u001b[0m: v", "line 2"] },
];
const code = { cell_type: "code", id: "c0de", execution_count: 3, metadata: {}, outputs, source: ["a = 1\n", "a"] };
const notebook = (...cells: object[]) =>
  JSON.stringify({ cells, metadata: { language_info: { name: "julia" } }, nbformat: 4, nbformat_minor: 5 });

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("Read of a notebook", () => {
  it("K02 gives cells with their outputs, without colours, and pictures as images", async () => {
    await put("n.ipynb", notebook({ cell_type: "markdown", id: "m", metadata: {}, source: "# T" }, code));
    const { output, text, titles } = await use("n.ipynb");
    expect(output.text).toBe(
      [
        '<cell number="0" id="m" type="markdown">\n# T\n</cell>',
        '<cell number="1" id="c0de" type="code" language="julia" execution_count="3">\na = 1\na\n</cell>',
        '<output type="stdout">\nhello\nred\n</output>',
        '<output type="result">\n<Figure>\n</output>\n<output type="image/png">[picture 1 below]</output>',
        '<output type="error">\nE: v\nline 2\n</output>',
      ].join("\n"),
    );
    expect(read.toModel?.(output, { id: "1" })).toEqual([
      { type: "text", text: output.text },
      { type: "image", data: PIXEL, mediaType: "image/png", path: output.path },
    ]);
    expect(text).not.toMatch(/^ +1\t/);
    expect(titles).toEqual(["Read notebook n.ipynb (2 cells)"]);
    expect(await world.ports.files.seen(output.path)).toMatchObject({ whole: true });
  });

  it("K02 names what of an output is not shown", async () => {
    const data = { "image/svg+xml": "<svg/>", "application/x-plot": {} };
    await put("s.ipynb", notebook({ ...code, outputs: [{ output_type: "display_data", data, metadata: {} }] }));
    const { text } = await use("s.ipynb");
    expect(text).toContain('<output type="display_data">[not shown: image/svg+xml, application/x-plot]</output>');
  });

  it("K02 pages by cells, and cuts a giant output", async () => {
    const big = { ...code, outputs: [{ output_type: "stream", name: "stdout", text: "x".repeat(1_000_000) }] };
    await put("big.ipynb", notebook(...Array.from({ length: 30 }, () => big)));
    const first = await use("big.ipynb");
    expect(first.text.length).toBeLessThan(101_000);
    expect(first.text).toContain("[990,000 more characters]");
    const all = `jq '.cells[0]' "${world.folder}/big.ipynb"`;
    expect(first.text).toContain(
      `[Parts longer than 10,000 characters were cut: cells 0, 1, 2, 3, 4, 5, 6, 7, 8. Bash has all of one: ${all}]`,
    );
    expect(first.output.truncated).toBe(true);
    expect(first.text).toMatch(/\[Cells 1 to 9 of 30, counted from 1\. Read on with offset: 10\.\]$/);
    expect((await use("big.ipynb", { offset: 30 })).output).toMatchObject({ first: 30, total: 30 });
    expect((await use("big.ipynb", { offset: 2, limit: 1 })).output.text).toMatch(/^<cell number="1"/);
    expect(await failure(use("big.ipynb", { offset: 31 }))).toMatchObject({ hint: expect.stringContaining("1 to 30") });
  });

  it("K02 a file that is only called a notebook is read as text", async () => {
    await put("broken.ipynb", '{"cells": [\n');
    expect((await use("broken.ipynb")).text).toMatch(
      /^ {5}1\t\{"cells": \[\n\n\[Shown as text: .*broken\.ipynb is not valid JSON: .*\]$/,
    );
    await put("old.ipynb", JSON.stringify({ nbformat: 3, worksheets: [{ cells: [] }] }));
    expect((await use("old.ipynb")).text).toMatch(/nbformat 4\. Convert it first: jupyter nbconvert .*\]$/);
    const many = await world.use(readManyFiles, { paths: ["old.ipynb"] });
    expect(many.text).toContain("Convert it first: jupyter nbconvert");
    await put("empty.ipynb", notebook());
    expect((await use("empty.ipynb")).text).toBe("[The notebook has no cells.]");
  });
});
