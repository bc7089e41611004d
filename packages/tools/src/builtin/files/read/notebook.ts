import { type Files, fail, HaftError } from "@haft/core/tool";
import { MAX_IMAGE_BYTES } from "../../support/image.ts";
import { count } from "../../support/wording.ts";
import { parseNotebook } from "../notebook/notebook.ts";
import { renderNotebook } from "../notebook/render.ts";
import type { ReadOutput } from "./output.ts";

/** Cells of one page. */
const PAGE_CELLS = 200;
/** Characters of one source or output. */
const PART_CHARS = 10_000;
/** Pictures of one page. */
const MAX_PICTURES = 20;

/**
 * Some cells of a notebook with their outputs. A file that is called a notebook and is none is no notebook: then the
 * answer is nothing, and it is read as the text that it is.
 *
 * @param page `first`: number of the first cell from 1; `limit`: most cells; `chars`: most characters.
 */
export async function readNotebook(
  path: string,
  files: Files,
  page: { readonly first: number; readonly limit?: number; readonly chars: number },
): Promise<ReadOutput | undefined> {
  const notebook = await files
    .text(path)
    .then(({ text }) => parseNotebook(path, text))
    .catch(asNothing);
  if (!notebook) return undefined;
  const total = notebook.cells.length;
  if (page.first > Math.max(total, 1))
    fail(
      "invalid_input",
      `Cell ${page.first} is past the end: ${path} has ${count(total, "cell")}.`,
      `For a notebook, offset counts cells: use 1 to ${Math.max(total, 1)}.`,
      { path, total },
    );
  const { text, images, shown } = renderNotebook(notebook, {
    first: page.first - 1,
    cells: page.limit ?? PAGE_CELLS,
    chars: page.chars,
    partChars: PART_CHARS,
    images: MAX_PICTURES,
    imageChars: Math.floor((MAX_IMAGE_BYTES * 4) / 3),
  });
  const next = page.first + shown;
  const isMore = next <= total;
  const notice = isMore
    ? `[Cells ${page.first} to ${next - 1} of ${total}, counted from 1. Read on with offset: ${next}.]`
    : total === 0
      ? "[The notebook has no cells.]"
      : "";
  return {
    path,
    lines: text === "" ? 0 : text.split("\n").length,
    first: page.first,
    total,
    text,
    truncated: isMore || page.first > 1,
    ...(notice ? { notice } : {}),
    pictures: images.map((image) => ({ ...image, bytes: Math.floor((image.data.length * 3) / 4) })),
  };
}

function asNothing(thrown: unknown): undefined {
  if (HaftError.is(thrown) && thrown.code === "validation_failed") return undefined;
  throw thrown;
}
