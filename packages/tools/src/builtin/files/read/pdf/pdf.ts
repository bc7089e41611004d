import { counted, type Files, fail, grouped } from "@haft/core/tool";
import type { ReadOutput } from "../output.ts";
import type { PageText } from "./extract.ts";
import { type PageRange, parsePages } from "./page-range.ts";

/** Maximum pages of one call. */
export const MAX_PAGES = 20;
/** Maximum bytes of a document; it is parsed in memory. */
const MAX_BYTES = 100 * 1024 * 1024;
const MAGIC = "%PDF-";

/** The requested pages of a document, and the maximum characters. */
interface PdfWish {
  readonly pages?: string;
  readonly chars: number;
  readonly signal: AbortSignal;
}

/** The text of a PDF, page by page; undefined if the file is not a PDF, regardless of its name. */
export async function readPdf(path: string, files: Files, wish: PdfWish): Promise<ReadOutput | undefined> {
  const isNamed = /\.pdf$/i.test(path);
  if (!isNamed && wish.pages === undefined) return undefined;
  const { path: real, kind } = await files.locate(path);
  if (kind !== "file" || !(await isPdf(path, files))) {
    if (wish.pages !== undefined && kind === "file")
      fail("invalid_input", `${path} is not a PDF; pages are only for PDFs.`, "Use offset and limit instead.");
    return undefined;
  }
  const size = (await files.stat(real))?.size ?? 0;
  if (size > MAX_BYTES)
    fail(
      "file_too_large",
      `The PDF ${path} has ${grouped(size)} bytes; at most ${grouped(MAX_BYTES)} are parsed.`,
      `Split it with Bash: qpdf "${path}" --pages . 1-20 -- part.pdf`,
    );
  const range: PageRange = wish.pages === undefined ? { first: 1 } : parsePages(wish.pages);
  const last = Math.min(range.last ?? Number.POSITIVE_INFINITY, range.first + MAX_PAGES - 1);
  const { extractPages } = await import("./extract.ts");
  const bytes = await files.bytes(path);
  const { chars, signal } = wish;
  const { total, pages } = await extractPages(path, bytes, { first: range.first, last, chars, signal });
  if (range.first > total)
    fail("invalid_input", `Page ${range.first} is past the end: ${path} has ${counted(total, "page")}.`, undefined, {
      total,
    });
  return outputOf(path, total, pages, range, chars);
}

/** Tests the first bytes; a file's name proves nothing. */
async function isPdf(path: string, files: Files): Promise<boolean> {
  return new TextDecoder().decode(await files.bytes(path, { end: MAGIC.length })) === MAGIC;
}

/** As many whole pages as fit. If a single page is too long, its beginning. */
function outputOf(
  path: string,
  total: number,
  pages: readonly PageText[],
  range: PageRange,
  chars: number,
): ReadOutput {
  const parts: string[] = [];
  let used = 0;
  for (const { number, text } of pages) {
    const body = text.trimEnd();
    if (parts.length > 0 && used + body.length > chars) break;
    parts.push(`--- page ${number} of ${total} ---\n${body}`);
    used += body.length;
  }
  const shown = pages.slice(0, parts.length);
  const isCut = shown.some((page) => page.isCut);
  const first = range.first;
  const last = first + parts.length - 1;
  const notice = noticeOf(path, shown, { first, last, total, isCut, wanted: range.last });
  const text = parts.join("\n");
  return {
    path,
    lines: text.split("\n").length,
    first,
    total,
    text,
    truncated: first > 1 || last < total || isCut,
    pages: { first, last, total },
    ...(notice ? { notice } : {}),
  };
}

interface Shown {
  readonly first: number;
  readonly last: number;
  readonly total: number;
  readonly isCut: boolean;
  readonly wanted: number | undefined;
}

function noticeOf(path: string, shown: readonly PageText[], { first, last, total, isCut, wanted }: Shown): string {
  const blank = shown.filter(({ text }) => text.trim() === "").map(({ number }) => number);
  const next = last + 1;
  const isMore = next <= Math.min(wanted ?? total, total);
  const named = blank.length > 8 ? `${blank.slice(0, 8).join(", ")}, …` : blank.join(", ");
  return [
    isMore
      ? `[Pages ${first} to ${last} of ${total}. Read on with pages: "${next}-${Math.min(last + MAX_PAGES, total)}".]`
      : "",
    isCut
      ? `[Page ${first} is longer than one answer and was cut. Bash has all of it: pdftotext -f ${first} -l ${first} "${path}" -]`
      : "",
    blank.length > 0
      ? `[No text on page${blank.length > 1 ? "s" : ""} ${named}: pictures or scans. To look at one: pdftoppm -r 100 -f ${blank[0]} -l ${blank[0]} -png "${path}" OUT with Bash, then Read the picture.]`
      : "",
  ]
    .filter(Boolean)
    .join("\n");
}
