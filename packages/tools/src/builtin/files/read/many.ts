import { type CallContext, HaftError, toToolError } from "@haft/core/tool";
import { imageType, MAGIC_BYTES } from "../../support/image.ts";
import { showLines } from "../../support/shown-lines.ts";
import { readNotebook } from "./notebook.ts";
import { DAMAGED, guessed } from "./output.ts";
import { readPdf } from "./pdf/pdf.ts";

/** Maximum lines of one file. */
const FILE_LINES = 2000;
/** Maximum characters of one line; the rest is left out. */
const LINE_CHARS = 2000;

/** One of several files. */
export interface ManyFile {
  /** Absolute path. */
  readonly path: string;
  readonly lines: number;
  /** Lines of the whole file, when they are known. */
  readonly total?: number;
  readonly text: string;
  readonly truncated: boolean;
  /** A note to the model about the missing part. */
  readonly notice?: string;
}

/** A file that was not read. */
export interface Skipped {
  /** As named, or absolute. */
  readonly path: string;
  readonly reason: string;
}

/** The beginning of a text file within a number of characters, or the reason why it cannot be read. */
export async function readWithin(path: string, chars: number, ctx: CallContext): Promise<ManyFile | Skipped> {
  const { files } = ctx.ports;
  try {
    const pdf = await readPdf(path, files, { chars, signal: ctx.signal });
    if (pdf) return pdf;
    const notebook = path.endsWith(".ipynb") ? await readNotebook(path, files, { first: 1, chars }) : undefined;
    if (notebook && !("why" in notebook)) return notebook;
    const window = { first: 1, limit: FILE_LINES, maxLineChars: LINE_CHARS, maxChars: chars, signal: ctx.signal };
    const page = await files.lines(path, window);
    await showLines(files, path, page);
    const { lines, total, cut, damaged, guess } = page;
    const isCut = total === undefined || lines.length < total;
    const notices = [
      isCut ? `[Lines 1 to ${lines.length}${total === undefined ? "" : ` of ${total}`}. Read gives the rest.]` : "",
      cut.length > 0 ? `[Lines longer than ${LINE_CHARS} characters were cut.]` : "",
      total === 0 ? "[The file is empty.]" : "",
      damaged ? DAMAGED : "",
      guess === undefined ? "" : guessed(guess),
      notebook?.why ?? "",
    ];
    const notice = notices.filter(Boolean).join("\n");
    return {
      path,
      lines: lines.length,
      ...(total === undefined ? {} : { total }),
      text: lines.join("\n"),
      truncated: isCut || cut.length > 0,
      ...(notice ? { notice } : {}),
    };
  } catch (thrown) {
    ctx.signal.throwIfAborted();
    return { path, reason: await reasonOf(path, ctx, thrown) };
  }
}

async function reasonOf(path: string, { ports }: CallContext, thrown: unknown): Promise<string> {
  if (!HaftError.is(thrown)) return toToolError(thrown).message;
  if (thrown.code === "file_not_found")
    return path.includes("\ufffd") ? "its name has bytes that are not text" : "does not exist";
  if (thrown.code === "sandbox_denied")
    return thrown.hint ? "private: read it separately with Read" : "closed by a rule";
  if (thrown.code === "undeclared_effect") return "leads outside of the requested paths: use its real path";
  if (thrown.code !== "binary_file") return thrown.message;
  const head = await ports.files.bytes(path, { end: MAGIC_BYTES }).catch(() => new Uint8Array());
  return imageType(head) ? "an image: Read shows it" : "a binary file";
}
