import { counted, type Files, fail, grouped, HaftError } from "@haft/core/tool";
import { imageType } from "../../support/image.ts";
import { type Notebook, parseNotebook, sourceOf } from "../notebook/notebook.ts";
import { renderNotebook } from "../notebook/render.ts";
import { shownImage } from "./image.ts";
import type { ReadImage, ReadOutput } from "./output.ts";

/** Cells of one page. */
const PAGE_CELLS = 200;
/** Characters of one source or output. */
const PART_CHARS = 10_000;
/** Maximum base64 characters of a picture; it may be shrunk before it is returned. */
const MAX_PICTURE_CHARS = 20_000_000;
/** Pictures of one page. */
const MAX_PICTURES = 20;

/** Why a file with a notebook's name is read as plain text. */
interface NoNotebook {
  readonly why: string;
}

/**
 * Some cells of a notebook with their outputs.
 *
 * @param page `first`: number of the first cell from 1; `limit`: maximum cells; `chars`: maximum characters.
 */
export async function readNotebook(
  path: string,
  files: Files,
  page: { readonly first: number; readonly limit?: number; readonly chars: number },
): Promise<ReadOutput | NoNotebook> {
  const file = await files.text(path);
  const notebook = notebookOf(path, file.text);
  if ("why" in notebook) return notebook;
  const total = notebook.cells.length;
  if (page.first > Math.max(total, 1))
    fail(
      "invalid_input",
      `Cell ${page.first} is past the end: ${path} has ${counted(total, "cell")}.`,
      `For a notebook, offset counts cells: use 1 to ${Math.max(total, 1)}.`,
      { path, total },
    );
  const { text, images, shown, cut } = renderNotebook(notebook, {
    first: page.first - 1,
    cells: page.limit ?? PAGE_CELLS,
    chars: page.chars,
    partChars: PART_CHARS,
    images: MAX_PICTURES,
    imageChars: MAX_PICTURE_CHARS,
  });
  const isWhole =
    page.first === 1 && shown === total && notebook.cells.every((cell) => sourceOf(cell).length <= PART_CHARS);
  await files.show(path, isWhole ? { hash: file.hash } : { hash: file.hash, lines: [] });
  const { pictures, damaged } = await seeablePictures(path, images);
  const next = page.first + shown;
  const isMore = next <= total;
  const paging = isMore
    ? `[Cells ${page.first} to ${next - 1} of ${total}, counted from 1. Read on with offset: ${next}.]`
    : total === 0
      ? "[The notebook has no cells.]"
      : "";
  const gap =
    damaged.length > 0 ? `[Left out as damaged: picture ${damaged.join(", ")}. The others follow in order.]` : "";
  const notice = [cutNote(path, cut), paging, gap].filter(Boolean).join("\n");
  return {
    path,
    lines: text === "" ? 0 : text.split("\n").length,
    first: page.first,
    total,
    text,
    truncated: isMore || page.first > 1 || cut.length > 0,
    ...(notice ? { notice } : {}),
    pictures,
  };
}

/** Pictures fitted to provider limits, and the numbers, from 1, of those that cannot be shown. */
async function seeablePictures(path: string, images: readonly { data: string; mediaType: string }[]) {
  const pictures: ReadImage[] = [];
  const damaged: number[] = [];
  for (const [index, { data }] of images.entries()) {
    const bytes = Buffer.from(data, "base64");
    const mediaType = imageType(bytes);
    const shown =
      mediaType && (await shownImage(`${path}, picture ${index + 1}`, bytes, mediaType).catch(() => undefined));
    if (shown) pictures.push(shown.image);
    else damaged.push(index + 1);
  }
  return { pictures, damaged };
}

/** The number is the one in the cell's tag, and in jq's list. */
function cutNote(path: string, cut: readonly number[]): string {
  if (cut.length === 0) return "";
  const named = cut.length > 10 ? `${cut.slice(0, 10).join(", ")}, …` : cut.join(", ");
  const parts = `Parts longer than ${grouped(PART_CHARS)} characters were cut: cell${cut.length > 1 ? "s" : ""} ${named}.`;
  return `[${parts} Bash has all of one: jq '.cells[${cut[0]}]' "${path}"]`;
}

function notebookOf(path: string, text: string): Notebook | NoNotebook {
  try {
    return parseNotebook(path, text);
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "validation_failed")
      return { why: `[Shown as text: ${thrown.message}${thrown.hint ? ` ${thrown.hint}` : ""}]` };
    throw thrown;
  }
}
