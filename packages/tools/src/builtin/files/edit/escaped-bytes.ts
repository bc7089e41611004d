import { sequenceLength } from "@haft/host";

/**
 * UTF-8 with some invalid bytes, as a string that converts back to exactly the same bytes. An invalid byte becomes a
 * lone low surrogate, U+DC00 plus its value, which no valid UTF-8 can produce.
 */
interface EscapedText {
  readonly text: string;
  /** Characters of more than one byte. */
  readonly wide: number;
  /** Invalid bytes. */
  readonly stray: number;
}

const STRAY = 0xdc00;

/** Decodes without loss. */
export function decodeEscaped(bytes: Uint8Array): EscapedText {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let [text, from, wide, stray] = ["", 0, 0, 0];
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length > 1) wide += 1;
    if (length === 0) {
      text += decoder.decode(bytes.subarray(from, at)) + String.fromCharCode(STRAY + (bytes[at] ?? 0));
      stray += 1;
      from = at + 1;
    }
    at += length || 1;
  }
  return { text: text + decoder.decode(bytes.subarray(from)), wide, stray };
}

/** Encodes such a text back to its bytes. */
export function encodeEscaped(text: string): Uint8Array {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const found of text.matchAll(/[\udc80-\udcff]/gu)) {
    pieces.push(encoder.encode(text.slice(from, found.index)), Uint8Array.of(text.charCodeAt(found.index) - STRAY));
    from = found.index + 1;
  }
  pieces.push(encoder.encode(text.slice(from)));
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Such a text for display: invalid bytes appear as the replacement character. */
export const shownText = (text: string): string => text.replace(/[\udc80-\udcff]/gu, "\ufffd");
