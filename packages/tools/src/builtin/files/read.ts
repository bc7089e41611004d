import {
  type CallContext,
  type Content,
  defineTool,
  display,
  fail,
  grouped,
  HaftError,
  type LineWindow,
  read as reads,
  resolve,
  text,
} from "@haft/core/tool";
import { imageType, MAGIC_BYTES, MAX_IMAGE_BYTES } from "../support/image.ts";
import { naming, withLookAround } from "../support/not-found.ts";
import { count } from "../support/wording.ts";

/** Lines of one page. */
const PAGE_LINES = 2000;
/** Characters of one line; the rest of a longer one is left out. */
const LINE_CHARS = 2000;
/** Characters of one page: it is never spilled to a file, so it bounds itself. */
const PAGE_CHARS = 100_000;

const input = {
  type: "object",
  properties: {
    file_path: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The file to read: an absolute path, or one relative to the working directory.",
    },
    offset: { type: "integer", minimum: 1, description: "Number of the first line to read, from 1. Default 1." },
    limit: { type: "integer", minimum: 1, description: `How many lines to read. Default ${PAGE_LINES}.` },
  },
  required: ["file_path"],
  additionalProperties: false,
} as const;

/** What a read gives to programs. */
export interface ReadOutput {
  /** Absolute path. */
  readonly path: string;
  /** How many lines of the file are in `text`. */
  readonly lines: number;
  /** Number of the first of them. */
  readonly first: number;
  /** Lines of the whole file, when it was read to its end. */
  readonly total?: number;
  readonly text: string;
  /** Whether something of the file is missing. */
  readonly truncated: boolean;
  /** What the model is told about it. */
  readonly notice?: string;
  readonly image?: { readonly data: string; readonly mediaType: string; readonly bytes: number };
}

/** Read: a page of a text file with line numbers, or an image. */
export const read = defineTool({
  name: "Read",
  aliases: ["read", "ReadFile", "read_file", "FileRead"],
  title: "Read file",
  searchHint: "read view open show file contents lines image",
  description: [
    "Reads a text file or an image (PNG, JPEG, GIF, WebP).",
    `Lines come with their numbers. One call gives up to ${PAGE_LINES} lines of up to ${LINE_CHARS} characters; a note says how to get the next ones.`,
    "Use it before changing a file. It does not read folders: use Ls.",
  ].join("\n"),
  input,
  can: ["read"],
  autoExecute: true,
  limits: { resultChars: Number.POSITIVE_INFINITY },
  effects: ({ file_path }, ctx) => withLookAround(file_path, [reads(file_path)], ctx),
  observe: ({ file_path }, ctx) => ({ file_path: resolve(ctx.cwd, file_path) }),
  describe: ({ file_path }) => {
    if (!file_path) return { title: "Read", activity: "Reading" };
    return { title: `Read ${file_path}`, activity: `Reading ${file_path}` };
  },
  async run({ file_path, offset = 1, limit = PAGE_LINES }, ctx): Promise<ReadOutput> {
    const path = resolve(ctx.cwd, file_path);
    const window = { first: offset, limit, maxLineChars: LINE_CHARS, maxChars: PAGE_CHARS, signal: ctx.signal };
    const page = await naming(ctx.ports.files, path, () => ctx.ports.files.lines(path, window)).catch((thrown) =>
      readImage(path, ctx, thrown),
    );
    const output = "lines" in page && "cut" in page ? pageOutput(path, page) : page;
    const name = display(ctx.cwd, path);
    ctx.progress({
      title: output.image ? `Read image ${name}` : `Read ${count(output.lines, "line")} of ${name}`,
      metadata: { path, lines: output.lines },
    });
    return output;
  },
  toModel: ({ image, text: page, first, notice, path }): readonly Content[] => {
    if (image) return [{ type: "image", data: image.data, mediaType: image.mediaType, path }];
    const numbered = page === "" && notice ? "" : numberLines(page, first);
    return [text([numbered, notice].filter(Boolean).join("\n\n"))];
  },
  toDisplay: ({ image, text: page, path }) =>
    image ? { kind: "image", data: image.data, mediaType: image.mediaType, alt: path } : { kind: "text", text: page },
});

function pageOutput(path: string, page: LineWindow): ReadOutput {
  const { lines, first, total, cut } = page;
  if (total !== undefined && first > Math.max(total, 1))
    fail(
      "invalid_input",
      `Line ${first} is past the end: ${path} has ${count(total, "line")}.`,
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

function noticeOf({ lines, first, total, cut }: LineWindow): string {
  if (total === 0) return "[The file is empty.]";
  const next = first + lines.length;
  const isMore = total === undefined || next <= total;
  const whole = total === undefined ? "" : ` of ${grouped(total)}`;
  const long = `Longer than ${LINE_CHARS} characters and cut: line${cut.length > 1 ? "s" : ""} ${cut.slice(0, 10).join(", ")}${cut.length > 10 ? ", …" : ""}.`;
  return [
    isMore ? `[Lines ${first} to ${next - 1}${whole}. Read on with offset: ${next}.]` : "",
    cut.length > 0 ? `[${long} Grep finds text within them.]` : "",
  ]
    .filter(Boolean)
    .join("\n");
}

const numberLines = (page: string, first: number): string =>
  page
    .split("\n")
    .map((line, index) => `${String(first + index).padStart(6)}\t${line}`)
    .join("\n");

/** What was no text may be an image; everything else stays the error that it was. */
async function readImage(path: string, { ports }: CallContext, thrown: unknown): Promise<ReadOutput> {
  if (!HaftError.is(thrown) || thrown.code !== "binary_file") throw thrown;
  const found = await ports.files.stat((await ports.files.locate(path)).path);
  if (found?.kind !== "file") throw thrown;
  const mediaType = imageType(await ports.files.bytes(path, { end: MAGIC_BYTES }));
  if (!mediaType) throw thrown;
  if (found.size > MAX_IMAGE_BYTES)
    fail(
      "file_too_large",
      `The image ${path} has ${grouped(found.size)} bytes; models take at most ${grouped(MAX_IMAGE_BYTES)}.`,
      "Make a smaller copy with Bash (for example with ImageMagick) and read that.",
    );
  const bytes = await ports.files.bytes(path);
  const image = { data: toBase64(bytes), mediaType, bytes: bytes.length };
  return { path, lines: 0, first: 1, text: "", truncated: false, image };
}

/** In pieces, because a call takes only so many arguments. */
function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
