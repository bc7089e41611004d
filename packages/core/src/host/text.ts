import { fail, type TextFile } from "../tool/index.ts";

type Encoding = Pick<TextFile, "encoding" | "bom">;

/** SHA-256 in hexadecimal. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads UTF-8 and UTF-16 with a byte order mark. @throws HaftError `binary_file` for anything else. */
export function decode(path: string, bytes: Uint8Array): Omit<TextFile, "hash"> {
  const found = encodingOf(bytes);
  const body = found.bom ? bytes.subarray(found.encoding === "utf-8" ? 3 : 2) : bytes;
  try {
    const text = new TextDecoder(found.encoding, { fatal: true, ignoreBOM: true }).decode(body);
    if (!text.includes("\0")) return { text, ...found, eol: lineEndOf(text) };
  } catch {
    // The bytes are in no encoding that this host reads.
  }
  return fail("binary_file", `${path} is not UTF-8 or UTF-16 text.`, "Read it with a program that knows its format.");
}

/** Writes a text as `like` was. */
export function encode(path: string, text: string, { encoding, bom }: Encoding): Uint8Array {
  if (encoding === "utf-8") return new TextEncoder().encode(`${bom ? "\ufeff" : ""}${text}`);
  if (encoding !== "utf-16le" && encoding !== "utf-16be")
    fail(
      "invalid_input",
      `${path} is in ${encoding}, which this host does not write.`,
      "Convert the file to UTF-8 first.",
    );
  const units = `${bom ? "\ufeff" : ""}${text}`;
  const view = new DataView(new ArrayBuffer(units.length * 2));
  for (let at = 0; at < units.length; at++) view.setUint16(at * 2, units.charCodeAt(at), encoding === "utf-16le");
  return new Uint8Array(view.buffer);
}

function encodingOf(bytes: Uint8Array): Encoding {
  const [a, b, c] = bytes;
  if (a === 0xff && b === 0xfe) return { encoding: "utf-16le", bom: true };
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", bom: true };
  return { encoding: "utf-8", bom: a === 0xef && b === 0xbb && c === 0xbf };
}

function lineEndOf(text: string): TextFile["eol"] {
  const crlf = text.split("\r\n").length - 1;
  const lf = text.split("\n").length - 1 - crlf;
  const cr = text.split("\r").length - 1 - crlf;
  if (crlf > lf && crlf >= cr) return "\r\n";
  return cr > lf ? "\r" : "\n";
}
