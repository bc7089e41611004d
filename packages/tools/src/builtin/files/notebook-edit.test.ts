import { readFile, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { insertCell, replaceCell } from "./notebook/change-cell.ts";
import { parseNotebook, sourceOf } from "./notebook/notebook.ts";
import { notebookEdit } from "./notebook-edit.ts";

let world: World;
const path = () => `${world.folder}/n.ipynb`;
const content = () => readFile(path(), "utf8");
const use = (wish: Omit<Parameters<typeof notebookEdit.effects>[0], "notebook_path">) =>
  world.use(notebookEdit, { notebook_path: "n.ipynb", ...wish });

/** The form in which Jupyter writes: one space, sorted keys, lines as a list. Numbers that JavaScript would rewrite. */
const notebook = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "aaaa1111",
   "metadata": {"x": 1.0, "big": 12345678901234567890},
   "source": [
    "# Title\\n",
    "text with \\u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "bbbb2222",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "1.0\\n"
     ]
    }
   ],
   "source": [
    "print(1.0)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;
const [head = "", tail = ""] = notebook.split(/(?<= {2}\},\n)/);

beforeEach(async () => {
  world = await createWorld();
  await writeFile(path(), notebook);
});
afterEach(() => world.close());

describe("NotebookEdit", () => {
  it("K08 replaces a cell by its id: outputs are emptied, all else keeps its bytes", async () => {
    const { output, text, display } = await use({ cell_id: "bbbb2222", new_source: "a = 1\nprint(a)" });
    const lines = '   "outputs": [],\n   "source": [\n    "a = 1\\n",\n    "print(a)"\n   ]\n  }\n ],';
    expect(await content()).toBe(
      head + tail.replace(/ {3}"outputs"[\s\S]*? \],\n(?= "metadata")/, `${lines}\n`).replace("7", "null"),
    );
    expect(output).toMatchObject({ mode: "replace", cell: 1, cellId: "bbbb2222", cells: 2 });
    expect(text).toBe(`Replaced cell 1 (bbbb2222) of ${path()}, which has 2 now.`);
    expect(display).toMatchObject({ kind: "diff", before: "print(1.0)", after: "a = 1\nprint(a)" });
  });

  it("K08 inserts after a cell, at a number, and first", async () => {
    const { output } = await use({ edit_mode: "insert", cell_id: "aaaa1111", new_source: "x", cell_type: "code" });
    const id = output.cellId ?? "";
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    const cell = `  {\n   "cell_type": "code",\n   "execution_count": null,\n   "id": "${id}",\n   "metadata": {},\n   "outputs": [],\n   "source": [\n    "x"\n   ]\n  },\n`;
    expect(await content()).toBe(head + cell + tail);
    await use({ edit_mode: "insert", cell_number: 3, new_source: "last", cell_type: "markdown" });
    await use({ edit_mode: "insert", new_source: "first" });
    const { cells } = parseNotebook("n", await content());
    expect(cells.map(sourceOf)).toEqual(["first", "# Title\ntext with é", "x", "print(1.0)", "last"]);
    expect((await content()).includes('{"x": 1.0, "big": 12345678901234567890}')).toBe(true);
  });

  it("K08 deletes a cell; an insert and a delete give the file back", async () => {
    await use({ edit_mode: "insert", cell_number: 1, new_source: "x" });
    await use({ edit_mode: "delete", cell_number: 1 });
    expect(await content()).toBe(notebook);
    await use({ edit_mode: "delete", cell_id: "bbbb2222" });
    await use({ edit_mode: "delete", cell_id: "aaaa1111" });
    expect(await content()).toContain('"cells": [],');
    await use({ edit_mode: "insert", new_source: "anew", cell_type: "raw" });
    expect(parseNotebook("n", await content()).cells.map(sourceOf)).toEqual(["anew"]);
  });

  it("K08 a change of type adds and takes what the type needs, and keeps the rest of the cell", async () => {
    await use({ cell_id: "bbbb2222", new_source: "# now text", cell_type: "markdown" });
    expect(JSON.parse(await content()).cells[1]).toEqual({
      cell_type: "markdown",
      id: "bbbb2222",
      metadata: {},
      source: ["# now text"],
    });
    await use({ cell_id: "aaaa1111", new_source: "x = 1", cell_type: "code" });
    expect(await content()).toContain(
      ' "cells": [\n  {\n   "cell_type": "code",\n   "execution_count": null,\n   "id": "aaaa1111",\n   "metadata": {"x": 1.0, "big": 12345678901234567890},\n   "outputs": [],\n',
    );
  });

  it("K08 notebooks before 4.5 get no ids, and cells are named by number", async () => {
    const old =
      '{"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [{"cell_type": "code", "source": "a", "metadata": {}, "outputs": [], "execution_count": 1}]}';
    await writeFile(path(), old);
    await use({ cell_id: "cell-0", new_source: "b" });
    expect(await content()).toBe(old.replace('"a"', '"b"').replace(": 1}", ": null}"));
    await use({ edit_mode: "insert", cell_number: 1, new_source: "c", cell_type: "markdown" });
    expect(await content()).toContain(',{"cell_type": "markdown", "metadata": {}, "source": "c"}');
  });

  it("K08 CRLF and a byte order mark stay", async () => {
    await writeFile(path(), `\ufeff${notebook.replaceAll("\n", "\r\n")}`);
    await use({ cell_number: 1, new_source: "a\nb" });
    const text = await content();
    expect(text.startsWith("\ufeff{\r\n")).toBe(true);
    expect(text).toContain('"a\\n",\r\n    "b"\r\n');
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  });

  it.each([
    ["an unknown cell", "match_not_found", { cell_id: "zzz", new_source: "x" }],
    ["a number past the end", "match_not_found", { cell_number: 2, new_source: "x" }],
    ["no cell", "invalid_input", { new_source: "x" }],
    ["two names for a cell", "invalid_input", { cell_id: "aaaa1111", cell_number: 0, new_source: "x" }],
    ["no source", "invalid_input", { cell_number: 0 }],
    ["the same source", "no_change", { cell_number: 1, new_source: "print(1.0)" }],
  ])("K08 %s is refused with the cure", async (_, code, wish) => {
    expect(await failure(use(wish))).toMatchObject({ code, hint: expect.stringMatching(/\S/) });
    expect(await content()).toBe(notebook);
  });

  it.each([
    ["no JSON", "{ cells: [", "not valid JSON"],
    ["no notebook", "[1, 2]", "not a notebook"],
    ["an old notebook", '{"nbformat": 3, "worksheets": []}', "nbformat 4"],
    ["a cell that is none", '{"nbformat": 4, "cells": [1]}', "nbformat 4"],
  ])("K08 %s is refused and left alone", async (_, text, says) => {
    await writeFile(path(), text);
    const error = await failure(use({ cell_number: 0, new_source: "x" }));
    expect(error).toMatchObject({ code: "validation_failed", message: expect.stringContaining(says) });
    expect(await content()).toBe(text);
  });

  it("K08 other cells keep their bytes, for any layout and source", () => {
    const source = fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "é", "{", "]", ",", "\u2028") });
    const layout = fc.constantFrom(undefined, 1, 2, "\t");
    fc.assert(
      fc.property(
        fc.array(source, { minLength: 1, maxLength: 4 }),
        source,
        layout,
        fc.nat(),
        (sources, next, space, at) => {
          const cells = sources.map((each) => ({ cell_type: "raw", metadata: { note: each }, source: [each] }));
          const text = JSON.stringify({ cells, nbformat: 4, nbformat_minor: 4 }, null, space);
          const before = parseNotebook("n", text);
          const index = at % cells.length;
          const after = parseNotebook("n", replaceCell(before, index, next));
          expect(after.cells.map(sourceOf)).toEqual(sources.with(index, next));
          const bytes = (book: typeof before) => book.spans.map(({ start, end }) => book.text.slice(start, end));
          expect(bytes(after).toSpliced(index, 1)).toEqual(bytes(before).toSpliced(index, 1));
          const grown = parseNotebook("n", insertCell(before, index, next, "markdown", "id"));
          expect(bytes(grown).toSpliced(index, 1)).toEqual(bytes(before));
        },
      ),
    );
  });
});
