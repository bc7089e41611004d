import {
  type CallContext,
  type Content,
  counted,
  defineTool,
  display,
  fail,
  grouped,
  type LineWindow,
  read as reads,
  text,
} from "@haft/core/tool";
import { namedPath } from "../support/named-path.ts";
import { naming, withLookAround } from "../support/not-found.ts";
import { showLines } from "../support/shown-lines.ts";
import { readImage } from "./read/image.ts";
import { readNotebook } from "./read/notebook.ts";
import { DAMAGED, ENCODING_FIELD, guessed, type ReadImage, type ReadOutput } from "./read/output.ts";
import { MAX_PAGES, readPdf } from "./read/pdf/pdf.ts";

/** Lines of one page. */
const PAGE_LINES = 2000;
/** Characters of one line; the rest of a longer one is left out. */
const LINE_CHARS = 2000;
/** Maximum characters of one page: it is never spilled to a file, so it bounds itself. */
const PAGE_CHARS = 100_000;

const input = {
  type: "object",
  properties: {
    file_path: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The file to read. Absolute or relative path.",
    },
    offset: {
      type: "integer",
      minimum: 1,
      description: "The first line (of a notebook, cell) to read, from 1. Default 1.",
    },
    limit: {
      type: "integer",
      minimum: 1,
      description: `Most lines (of a notebook, cells). Default ${PAGE_LINES}.`,
    },
    pages: {
      type: "string",
      minLength: 1,
      description: `Pages to read of a PDF: "3", "1-5" or "6-", at most ${MAX_PAGES}. Default: from the first.`,
    },
    encoding: ENCODING_FIELD,
  },
  required: ["file_path"],
  additionalProperties: false,
} as const;

/** Read: returns a page of a text file with line numbers, an image, or the cells of a notebook. */
export const read = defineTool({
  name: "Read",
  aliases: ["read", "ReadFile", "read_file", "FileRead", "view_image"],
  rules: { specifier: "read", groups: ["fs", "files"], fields: ["path"] },
  title: "Read file",
  searchHint: "read view open show file contents lines image pdf",
  description: [
    "Reads a text file, an image (PNG, JPEG, GIF, WebP), the text of a PDF, or a Jupyter notebook with its outputs.",
    `Lines come with their numbers. One call gives up to ${PAGE_LINES} lines of up to ${LINE_CHARS} characters; a note says how to get the next ones.`,
    "Use it before changing a file. It does not read folders: use Ls.",
  ].join("\n"),
  input,
  can: ["read"],
  autoExecute: true,
  limits: { resultChars: Number.POSITIVE_INFINITY },
  effects: ({ file_path }, ctx) => withLookAround(file_path, (path) => [reads(path)], ctx),
  observe: ({ file_path }, ctx) => ({ file_path: namedPath(ctx, file_path) }),
  describe: ({ file_path }) => {
    if (!file_path) return { title: "Read", activity: "Reading" };
    return { title: `Read ${file_path}`, activity: `Reading ${file_path}` };
  },
  async run(wish, ctx): Promise<ReadOutput> {
    const path = namedPath(ctx, wish.file_path);
    const output = await naming(ctx.ports.files, path, () => readAny(path, wish, ctx));
    const name = display(ctx.cwd, path);
    ctx.progress({ title: titleOf(output, name), metadata: { path, lines: output.lines } });
    return output;
  },
  toModel: (output): readonly Content[] => {
    const { image, pictures, pages, text: page, first, notice, path } = output;
    if (image) return [text(notice ?? ""), imageContent(image, path)];
    const numbered = page === "" && notice ? "" : pictures || pages ? page : numberLines(page, first);
    const words = text([numbered, notice].filter(Boolean).join("\n\n"));
    return [words, ...(pictures ?? []).map((picture) => imageContent(picture, path))];
  },
  toDisplay: ({ image, text: page, notice, path }) =>
    image
      ? { kind: "image", data: image.data, mediaType: image.mediaType, alt: path }
      : { kind: "text", text: [page, notice].filter(Boolean).join("\n") },
});

interface Wish {
  readonly offset?: number;
  readonly limit?: number;
  readonly pages?: string;
  readonly encoding?: string;
}

async function readAny(path: string, wish: Wish, { ports, signal }: CallContext): Promise<ReadOutput> {
  const { files } = ports;
  const { offset = 1, limit, pages, encoding } = wish;
  const pdf = await readPdf(path, files, { ...(pages === undefined ? {} : { pages }), chars: PAGE_CHARS, signal });
  if (pdf) return wish.offset === undefined && limit === undefined ? pdf : noticed(pdf, LINES_OF_PDF);
  const cells = { first: offset, ...(limit === undefined ? {} : { limit }), chars: PAGE_CHARS };
  const notebook = path.endsWith(".ipynb") ? await readNotebook(path, files, cells) : undefined;
  if (notebook && !("why" in notebook)) return notebook;
  const sizes = { first: offset, limit: limit ?? PAGE_LINES, maxLineChars: LINE_CHARS, maxChars: PAGE_CHARS };
  const window = { ...sizes, signal, ...(encoding === undefined ? {} : { encoding }) };
  const page = await files.lines(path, window).catch((thrown: unknown) => readImage(path, files, thrown, signal));
  if (!("cut" in page)) return page;
  await showLines(files, path, page);
  return noticed(pageOutput(path, page), notebook?.why);
}

const LINES_OF_PDF = "[offset and limit were ignored, because a PDF has no lines. Use pages.]";

const noticed = (output: ReadOutput, notice: string | undefined): ReadOutput =>
  notice === undefined ? output : { ...output, notice: [output.notice, notice].filter(Boolean).join("\n") };

function titleOf({ image, pages, pictures, lines, total = 0 }: ReadOutput, name: string): string {
  if (image) return `Read image ${name}`;
  if (pages) return `Read ${counted(pages.last - pages.first + 1, "page")} of ${name}`;
  return pictures ? `Read notebook ${name} (${counted(total, "cell")})` : `Read ${counted(lines, "line")} of ${name}`;
}

const imageContent = ({ data, mediaType }: ReadImage, path: string): Content => ({
  type: "image",
  data,
  mediaType,
  path,
});

function pageOutput(path: string, page: LineWindow): ReadOutput {
  const { lines, first, total, cut } = page;
  if (total !== undefined && first > Math.max(total, 1))
    fail(
      "invalid_input",
      `Line ${first} is past the end: ${path} has ${counted(total, "line")}.`,
      `Use an offset from 1 to ${Math.max(total, 1)}.`,
      { path, total },
    );
  const notice = noticeOf(page);
  return {
    path,
    lines: lines.length,
    first,
    ...(total === undefined ? {} : { total }),
    text: lines.join("\n"),
    truncated: cut.length > 0 || total === undefined || lines.length < total,
    ...(notice ? { notice } : {}),
  };
}

function noticeOf({ lines, first, total, cut, damaged, guess }: LineWindow): string {
  if (total === 0) return "[The file is empty.]";
  const next = first + lines.length;
  const isMore = total === undefined || next <= total;
  const whole = total === undefined ? "" : ` of ${grouped(total)}`;
  const long = `Longer than ${LINE_CHARS} characters and cut: line${cut.length > 1 ? "s" : ""} ${cut.slice(0, 10).join(", ")}${cut.length > 10 ? ", …" : ""}.`;
  return [
    isMore ? `[Lines ${first} to ${next - 1}${whole}. Read on with offset: ${next}.]` : "",
    cut.length > 0 ? `[${long} Grep finds text within them.]` : "",
    damaged ? DAMAGED : "",
    guess === undefined ? "" : guessed(guess),
  ]
    .filter(Boolean)
    .join("\n");
}

const numberLines = (page: string, first: number): string =>
  page
    .split("\n")
    .map((line, index) => `${String(first + index).padStart(6)}\t${line}`)
    .join("\n");
