import { openFile, readPiece } from "./open.ts";

/** Limits on the pages of a schema, and on bytes of one statement. */
const MOST_PAGES = 1_000;
const STATEMENT_BYTES = 1024 * 1024;

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
/** Kinds of pages in the tree of a table. */
const INNER = 0x05;
const LEAF = 0x0d;

/**
 * The words of the schema of an SQLite database, in lower case with a space around each. Executes nothing: reads the pages by
 * the file format, and fails on anything else. Does not read the write-ahead log beside it.
 */
export async function wordsOfSchema(path: string): Promise<string> {
  using file = await openFile(path);
  const head = await pieceOf(file.descriptor, 0, HEADER_BYTES);
  if (head.toString("latin1", 0, MAGIC.length) !== MAGIC) throw new Error("This is not a database.");
  const size = head.readUInt8(16) * 0x100 + head.readUInt8(17) * 0x10000;
  if (size < 512 || size > 0x10000 || (size & (size - 1)) !== 0) throw new Error("Its pages have no possible size.");
  // Each page may end with reserved space.
  const room = size - head.readUInt8(20);
  const seen = new Set<number>();
  const page = async (number: number): Promise<Buffer> => {
    if (number < 1 || seen.has(number) || seen.size >= MOST_PAGES) throw new Error("Its pages have no order.");
    seen.add(number);
    return (await pieceOf(file.descriptor, (number - 1) * size, size)).subarray(0, room);
  };
  const texts: string[] = [];
  const wanted = [1];
  for (let number = wanted.pop(); number !== undefined; number = wanted.pop()) {
    const bytes = await page(number);
    const { isLeaf, cells, last } = cellsOf(bytes, number === 1 ? HEADER_BYTES : 0);
    if (!isLeaf) wanted.push(last, ...cells.map((at) => bytes.readUInt32BE(at)));
    else for (const at of cells) texts.push(wordsOf(await recordAt(bytes, at, room, page)));
  }
  return texts.join("");
}

/** The offsets of the cells on a page of the tree; `last` is the right-most child page. */
function cellsOf(bytes: Buffer, start: number): { isLeaf: boolean; cells: readonly number[]; last: number } {
  const kind = bytes.readUInt8(start);
  if (kind !== LEAF && kind !== INNER) throw new Error("The schema is not a table.");
  const isLeaf = kind === LEAF;
  const list = start + (isLeaf ? 8 : 12);
  const cells = Array.from({ length: bytes.readUInt16BE(start + 3) }, (_, index) =>
    bytes.readUInt16BE(list + 2 * index),
  );
  return { isLeaf, cells, last: isLeaf ? 0 : bytes.readUInt32BE(start + 8) };
}

/** A row with all its columns. The rest that does not fit on the page is in overflow pages, each with a link in front. */
async function recordAt(
  bytes: Buffer,
  cell: number,
  room: number,
  page: (number: number) => Promise<Buffer>,
): Promise<Buffer> {
  const [length, behind] = numberAt(bytes, cell);
  // Readers differ in the ninth byte of a length.
  if (length > STATEMENT_BYTES || behind - cell > 8) throw new Error("A statement of the schema is too long.");
  const [, start] = numberAt(bytes, behind);
  const here = roomFor(length, room);
  const pieces = [within(bytes, start, start + here)];
  let next = here < length ? bytes.readUInt32BE(start + here) : 0;
  for (let left = length - here; left > 0; left -= room - 4) {
    const more = await page(next);
    next = more.readUInt32BE(0);
    pieces.push(within(more, 4, 4 + Math.min(left, room - 4)));
  }
  return Buffer.concat(pieces);
}

/** The number of bytes of a row that stay on its page. */
function roomFor(length: number, room: number): number {
  const most = room - 35;
  if (length <= most) return length;
  const least = Math.floor(((room - 12) * 32) / 255) - 23;
  const kept = least + ((length - least) % (room - 4));
  return kept <= most ? kept : least;
}

/** A varint: seven bits a byte, most significant first; the ninth byte has eight. */
function numberAt(bytes: Buffer, start: number): readonly [value: number, behind: number] {
  let value = 0;
  for (let at = start; at < start + 8; at++) {
    const byte = bytes.readUInt8(at);
    value = value * 0x80 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + 1];
  }
  return [value * 0x100 + bytes.readUInt8(start + 8), start + 9];
}

/**
 * Keeps all characters of an SQL name together, including the start of the next column. UTF-16 has zeros between the
 * letters, so this returns everything twice, with and without zeros.
 */
function wordsOf(record: Buffer): string {
  const raw = record.toString("latin1").toLowerCase();
  return [raw, raw.replaceAll("\0", "")].map((one) => ` ${one.replace(/[^\w$\x80-\xff]+/g, " ")} `).join("");
}

function within(bytes: Buffer, start: number, end: number): Buffer {
  if (end > bytes.length) throw new Error("A row leads out of its page.");
  return bytes.subarray(start, end);
}

async function pieceOf(descriptor: number, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await readPiece(descriptor, bytes, 0, length, start);
  if (bytesRead < length) throw new Error("The file ends too early.");
  return bytes;
}
