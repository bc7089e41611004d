import { createHash, hash } from "node:crypto";
import { fail, type LineWindow } from "@haft/core/tool";
import { commonEol, decode, detectEncoding, type Encoding, namedEncoding } from "./encoding.ts";
import { worded } from "./fault.ts";
import { cutLine, type LineRequest, LineSplitter } from "./line-splitter.ts";
import type { Locate } from "./locate.ts";
import { type OpenFile, openFile, readPiece } from "./open.ts";
import { isDamagedUtf8 } from "./utf8.ts";

/** Files up to this size are read at once and decoded exactly. */
const HELD_BYTES = 8 * 1024 * 1024;
/** Larger files up to this size are streamed to their end, to count their lines and to hash them. */
const COUNTED_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** Some lines of a text file. Memory use stays small for any size of the file or of a line. */
export async function readLines(path: string, request: LineRequest, place?: Locate): Promise<LineWindow> {
  using file = await openFile(path, place);
  return await worded(path, () =>
    file.size <= HELD_BYTES ? held(file, path, request) : streamed(file, path, request),
  );
}

async function held(file: OpenFile, path: string, request: LineRequest): Promise<LineWindow> {
  const bytes = await file.whole(request.signal);
  const { encoding, facts } = await chosenEncoding(bytes, path, request);
  const lines = splitLines(await decode(bytes, encoding));
  const { first, limit, maxLineChars, maxChars = Number.POSITIVE_INFINITY } = request;
  const wanted: string[] = [];
  const cut: number[] = [];
  let chars = 0;
  for (const line of lines.slice(first - 1, first - 1 + limit)) {
    const isLong = line.length > maxLineChars;
    const kept = isLong ? cutLine(line, maxLineChars) : line;
    chars += kept.length + 1;
    if (chars > maxChars && wanted.length > 0) break;
    if (isLong) cut.push(first + wanted.length);
    wanted.push(kept);
  }
  return {
    lines: wanted,
    first,
    total: lines.length,
    whole: wanted.length === lines.length && cut.length === 0,
    cut,
    hash: hash("sha256", bytes, "hex"),
    ...facts,
  };
}

/** The encoding in which a text is shown, and what the reader has to know about it. `bytes`: the text, or its beginning. */
async function chosenEncoding(
  bytes: Uint8Array,
  path: string,
  { encoding: wish }: LineRequest,
  partial = false,
): Promise<{ readonly encoding: Encoding; readonly facts: Pick<LineWindow, "damaged" | "guess"> }> {
  if (wish !== undefined) return { encoding: await namedEncoding(bytes, wish), facts: {} };
  const detected = (await detectEncoding(bytes, partial)) ?? refuseBinary(path);
  if (isDamaged(detected, bytes)) return { encoding: { ...detected, name: "utf-8" }, facts: { damaged: true } };
  return { encoding: detected, facts: detected.isGuess ? { guess: detected.name } : {} };
}

/** Whether a text is UTF-8 with some broken bytes. For display it is best read as UTF-8. */
const isDamaged = ({ name, bomBytes }: Encoding, bytes: Uint8Array): boolean =>
  name === "utf-8" ? bomBytes > 0 && isDamagedUtf8(bytes) : !name.startsWith("utf-") && isDamagedUtf8(bytes);

async function streamed({ descriptor, size }: OpenFile, path: string, request: LineRequest): Promise<LineWindow> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const { bytesRead } = await readPiece(descriptor, chunk, 0, CHUNK_BYTES, 0);
  const head = chunk.subarray(0, bytesRead);
  const { encoding, facts } = await chosenEncoding(head, path, request, true);
  const splitter = new LineSplitter(request, encoding, await decoderOf(encoding));
  const running = createHash("sha256");
  const readsAll = size <= COUNTED_BYTES;
  let position = 0;
  while (readsAll || !splitter.isFull) {
    request.signal?.throwIfAborted();
    const { bytesRead: count } = await readPiece(descriptor, chunk, 0, CHUNK_BYTES, position);
    if (count === 0) break;
    const piece = chunk.subarray(0, count);
    running.update(piece);
    splitter.push(position === 0 ? piece.subarray(encoding.bomBytes) : piece);
    position += count;
  }
  const atEnd = position >= size && !(splitter.isFull && !readsAll && position < size);
  if (atEnd) splitter.end();
  const { lines, cut, seen } = splitter;
  const end = atEnd ? { total: seen, hash: running.digest("hex") } : {};
  return {
    lines,
    first: request.first,
    whole: atEnd && lines.length === seen && cut.length === 0,
    cut,
    ...end,
    ...facts,
  };
}

/** Lines without their ends. A last line end closes a line, it does not begin an empty one. */
export function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = commonEol(text) === "\r" ? text.split("\r") : text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

type Decode = (bytes: Uint8Array) => string;

async function decoderOf(encoding: Encoding): Promise<Decode> {
  if (encoding.name === "utf-8") {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return (bytes) => decoder.decode(bytes);
  }
  const { default: iconv } = await import("iconv-lite");
  return (bytes) => iconv.decode(Buffer.from(bytes), encoding.name, { stripBOM: false });
}

function refuseBinary(path: string): never {
  return fail(
    "binary_file",
    `${path} is a binary file.`,
    "It is not text. Use Bash with a program for its format, e.g. `file`, `xxd` or `strings`.",
    { path },
  );
}
