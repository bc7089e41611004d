import { isAscii, isUtf8 } from "node:buffer";
import { fail, type TextFile } from "@haft/core/tool";

/** The encoding of a text. */
export interface Encoding {
  /** A name that iconv-lite knows. */
  readonly name: string;
  /** Length of the byte order mark, 0 without one. */
  readonly bomBytes: number;
  /** Nothing proves it. */
  readonly isGuess?: true;
}

/** Bytes to check to tell text from binary data. */
const SAMPLE_BYTES = 8192;

const boms: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-32le", [0xff, 0xfe, 0, 0]],
  ["utf-32be", [0, 0, 0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * Finds the encoding of a whole text or of its beginning (`partial`): byte order mark, then UTF-8 by validity, then a
 * statistical guess. `undefined` means that the bytes are not text.
 */
export async function detectEncoding(bytes: Uint8Array, partial = false): Promise<Encoding | undefined> {
  const marked = markedEncoding(bytes);
  if (marked) return marked;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.includes(0)) return wideEncoding(sample);
  if (partial ? isUtf8SoFar(bytes) : isUtf8(bytes)) return { name: "utf-8", bomBytes: 0 };
  if (looksBinary(sample)) return undefined;
  return { name: await guess(bytes), bomBytes: 0, isGuess: true };
}

/** The encoding that a caller names. Fails if there is none of that name. */
export async function namedEncoding(bytes: Uint8Array, wish: string): Promise<Encoding> {
  const name = await nameOf(wish);
  const marked = markedEncoding(bytes);
  return { name, bomBytes: marked?.name === name ? marked.bomBytes : 0 };
}

async function nameOf(wish: string): Promise<string> {
  const { default: iconv } = await import("iconv-lite");
  const [, bits, order = bits === "8" ? "" : "le"] = /^utf-?(8|16|32)-?([lb]e)?$/i.exec(wish) ?? [];
  const name = bits === undefined ? wish.toLowerCase() : `utf-${bits}${order.toLowerCase()}`;
  if (!iconv.encodingExists(name) || NO_TEXT.has(name))
    fail(
      "invalid_input",
      `There is no encoding ${wish}.`,
      "Use a name such as shift_jis, gb18030, euc-kr, big5, windows-1251, or leave encoding out.",
    );
  return name;
}

/** Names of iconv-lite for bytes as text, which are no encodings of texts. */
const NO_TEXT: ReadonlySet<string> = new Set(["base64", "hex"]);

/** The encoding of the byte order mark, if any. */
export function markedEncoding(bytes: Uint8Array): Encoding | undefined {
  const marked = boms.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  return marked && { name: marked[0], bomBytes: marked[1].length };
}

/** The text of bytes, without their byte order mark. */
export async function decode(bytes: Uint8Array, encoding: Encoding): Promise<string> {
  const body = bytes.subarray(encoding.bomBytes);
  if (encoding.name === "utf-8") {
    // Most sources are ASCII, and then there is nothing to decode.
    if (isAscii(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  }
  const { default: iconv } = await import("iconv-lite");
  return iconv.decode(Buffer.from(body.buffer, body.byteOffset, body.byteLength), encoding.name, { stripBOM: false });
}

/** The bytes of a text in a given encoding. `undefined` if the encoding lacks a character, which would be lost. */
export async function encode(text: string, like: Pick<TextFile, "encoding" | "bom">): Promise<Uint8Array | undefined> {
  if (like.encoding === "utf-8") return Buffer.from(like.bom ? `\ufeff${text}` : text, "utf8");
  const [{ default: iconv }, encoding] = await Promise.all([import("iconv-lite"), nameOf(like.encoding)]);
  const bytes = iconv.encode(text, encoding, { addBOM: false });
  if (iconv.decode(bytes, encoding, { stripBOM: false }) !== text) return undefined;
  const mark = like.bom ? boms.find(([name]) => name === encoding)?.[1] : undefined;
  return mark ? Buffer.concat([Buffer.from(mark), bytes]) : bytes;
}

/** The most frequent line end; `\n` for a text of one line. */
export function commonEol(text: string): TextFile["eol"] {
  if (!text.includes("\r")) return "\n";
  const windows = text.split("\r\n").length - 1;
  const lineFeeds = text.split("\n").length - 1 - windows;
  if (windows > lineFeeds) return "\r\n";
  return lineFeeds > 0 || windows > 0 ? "\n" : "\r";
}

/** Whether a beginning is UTF-8. Its last character may be incomplete. */
function isUtf8SoFar(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** UTF-16 without a byte order mark: every other byte of mostly Latin text is zero. Anything else with zeros is binary. */
function wideEncoding(sample: Uint8Array): Encoding | undefined {
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = sample.length / 2;
  if (half < 2) return undefined;
  if (odd > half * 0.7 && even === 0) return { name: "utf-16le", bomBytes: 0 };
  if (even > half * 0.7 && odd === 0) return { name: "utf-16be", bomBytes: 0 };
  return undefined;
}

/** Counts control characters that texts do not use. ESC is allowed: coloured logs and ISO-2022 have it. */
function looksBinary(sample: Uint8Array): boolean {
  const strange = sample.filter((byte) => byte < 0x20 && !(byte >= 0x07 && byte <= 0x0d) && byte !== 0x1b).length;
  return strange > sample.length * 0.02;
}

/** Uses a guess only if encoding returns the same bytes. Latin-1 always does, so a later write loses nothing. */
async function guess(bytes: Uint8Array): Promise<string> {
  const [{ default: chardet }, { default: iconv }] = await Promise.all([import("chardet"), import("iconv-lite")]);
  const sample = Buffer.from(bytes.subarray(0, 256 * 1024));
  const name = chardet.detect(sample)?.toLowerCase();
  if (!name || !iconv.encodingExists(name) || name.startsWith("utf-")) return "iso-8859-1";
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return iconv.encode(iconv.decode(whole, name), name).equals(whole) ? name : "iso-8859-1";
}
