import { countLines } from "./lines.ts";

interface Piece {
  readonly bytes: Buffer;
  readonly lines: number;
}

/** Copies pieces into blocks of this size, so that a job that writes single bytes does not cost an object for each byte. */
const BLOCK_BYTES = 16 * 1024;

/** The last bytes of an output of any size. */
export class Ring {
  private readonly room: number;
  private pieces: Piece[] = [];
  private block = Buffer.alloc(0);
  /** All bytes and line ends received so far. */
  bytes = 0;
  lines = 0;
  /** Whether nothing was received, or the last byte is a line end. */
  endsLine = true;
  private droppedBytes = 0;
  private droppedLines = 0;

  constructor(room: number) {
    this.room = room;
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const lines = countLines(chunk);
    this.endsLine = chunk.at(-1) === 0x0a;
    this.bytes += chunk.length;
    this.lines += lines;
    if (chunk.length >= BLOCK_BYTES) this.pieces.push({ bytes: chunk, lines });
    else this.addSmall(chunk, lines);
    while (this.kept - (this.pieces[0]?.bytes.length ?? 0) >= this.room) this.dropOldest();
  }

  /** Offset of the first byte that is still kept. */
  get start(): number {
    return this.droppedBytes;
  }

  /** Number of the line that contains that byte, from 1. */
  get firstLine(): number {
    return this.droppedLines + 1;
  }

  /** The kept bytes from an offset on. The offset must not be before `start`. */
  from(offset: number): Buffer {
    return Buffer.concat(this.pieces.map(({ bytes }) => bytes)).subarray(offset - this.droppedBytes);
  }

  private get kept(): number {
    return this.bytes - this.droppedBytes;
  }

  /** Appends to the last piece while its block has room. */
  private addSmall(chunk: Buffer, lines: number): void {
    const last = this.pieces.at(-1);
    const isOwn = last !== undefined && last.bytes.buffer === this.block.buffer && this.block.length > 0;
    const used = isOwn ? last.bytes.length : 0;
    if (isOwn && used + chunk.length <= BLOCK_BYTES) {
      chunk.copy(this.block, used);
      this.pieces[this.pieces.length - 1] = {
        bytes: this.block.subarray(0, used + chunk.length),
        lines: last.lines + lines,
      };
      return;
    }
    this.block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    chunk.copy(this.block);
    this.pieces.push({ bytes: this.block.subarray(0, chunk.length), lines });
  }

  private dropOldest(): void {
    const piece = this.pieces.shift();
    this.droppedBytes += piece?.bytes.length ?? 0;
    this.droppedLines += piece?.lines ?? 0;
  }
}
