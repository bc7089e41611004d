const LINE_END = 0x0a;

/** Counts line ends. A plain loop, because repeated `indexOf` is many times slower on short lines. */
export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === LINE_END) count++;
  return count;
}

/** Selects lines of a text that arrives in pieces. */
interface LineWish {
  /** Number of the line that starts the first piece. */
  readonly base: number;
  readonly first: number;
  readonly limit: number;
  readonly maxBytes: number;
}

/** Returns the bytes of the wanted lines; stops reading as soon as it has them. */
export async function collectLines(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { base, first, limit, maxBytes }: LineWish,
): Promise<Buffer> {
  const wanted: Uint8Array[] = [];
  let line = base;
  let size = 0;
  for await (const piece of pieces) {
    let from = line >= first ? 0 : -1;
    let end = piece.length;
    for (let at = 0; at < piece.length; at++) {
      if (piece[at] !== LINE_END) continue;
      line++;
      if (line === first) from = at + 1;
      if (line < first + limit) continue;
      end = at + 1;
      break;
    }
    if (from >= 0) wanted.push(piece.subarray(from, end));
    size += from >= 0 ? end - from : 0;
    if (line >= first + limit || size >= maxBytes) break;
  }
  return Buffer.concat(wanted).subarray(0, maxBytes);
}

/** Number of bytes at the end that start a UTF-8 character without completing it. */
export function cutCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}
