import type { Encoding } from "./encoding.ts";

/** The requested lines; numbers count from 1. */
export interface LineRequest {
  readonly first: number;
  readonly limit: number;
  readonly maxLineChars: number;
  /** Limit on characters of all lines together, line ends included; always gives at least one line. Default: no limit. */
  readonly maxChars?: number;
  /** The encoding, if the caller knows it. */
  readonly encoding?: string;
  readonly signal?: AbortSignal;
}

const LINE_FEED = 0x0a;

/**
 * Takes the bytes of a text piece by piece and keeps the requested lines. Decodes complete lines; keeps only the beginning
 * of one that is too long. Works on bytes because in all supported encodings a line feed is one code unit that is not part
 * of any other character.
 */
export class LineSplitter {
  readonly lines: string[] = [];
  readonly cut: number[] = [];
  /** Number of complete lines so far. */
  seen = 0;
  private chars = 0;
  private isOverfull = false;
  private readonly request: LineRequest;
  private readonly decode: (bytes: Uint8Array) => string;
  private readonly unit: number;
  private readonly bigEndian: boolean;
  private readonly maxBytes: number;
  private parts: Buffer[] = [];
  private partBytes = 0;
  /** The beginning of an incomplete code unit. */
  private half: Buffer = Buffer.alloc(0);
  /** Bytes of the incomplete line, including dropped ones. */
  private openBytes = 0;

  constructor(request: LineRequest, encoding: Encoding, decode: (bytes: Uint8Array) => string) {
    this.request = request;
    this.decode = decode;
    this.unit = encoding.name.startsWith("utf-16") ? 2 : encoding.name.startsWith("utf-32") ? 4 : 1;
    this.bigEndian = encoding.name.endsWith("be");
    this.maxBytes = (request.maxLineChars + 2) * 4;
  }

  /** Whether every requested line has been seen. */
  get isFull(): boolean {
    return this.isOverfull || this.seen >= this.request.first - 1 + this.request.limit;
  }

  push(bytes: Buffer): void {
    const joined = this.half.length > 0 ? Buffer.concat([this.half, bytes]) : bytes;
    const whole = joined.length - (joined.length % this.unit);
    // A copy: the next read reuses the memory.
    this.half = Buffer.from(joined.subarray(whole));
    const piece = joined.subarray(0, whole);
    let start = 0;
    for (let end = this.lineEnd(piece, 0); end >= 0; end = this.lineEnd(piece, start)) {
      this.keep(piece, start, end);
      this.close();
      start = end;
    }
    this.keep(piece, start, piece.length);
  }

  /** Closes a last line without a line end. */
  end(): void {
    this.keep(this.half, 0, this.half.length);
    if (this.openBytes > 0) this.close();
  }

  /** Offset after the next line feed, or -1. Pieces and lines begin with a whole code unit. */
  private lineEnd(piece: Buffer, start: number): number {
    const { unit } = this;
    if (unit === 1) return piece.indexOf(LINE_FEED, start) + 1 || -1;
    for (let at = piece.indexOf(LINE_FEED, start); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) {
      const from = at - (at % unit);
      const code = piece.subarray(from, from + unit);
      const feed = this.bigEndian ? unit - 1 : 0;
      if (code.every((byte, index) => byte === (index === feed ? LINE_FEED : 0))) return from + unit;
    }
    return -1;
  }

  private get isWanted(): boolean {
    return this.seen >= this.request.first - 1 && !this.isFull;
  }

  private keep(piece: Buffer, start: number, end: number): void {
    this.openBytes += end - start;
    if (!this.isWanted) return;
    const stop = Math.min(end, start + this.maxBytes - this.partBytes);
    if (stop <= start) return;
    this.parts.push(Buffer.from(piece.subarray(start, stop)));
    this.partBytes += stop - start;
  }

  private close(): void {
    if (this.isWanted) this.add(this.decode(Buffer.concat(this.parts)).replace(/\r?\n$/, ""));
    this.seen += 1;
    this.parts = [];
    this.partBytes = 0;
    this.openBytes = 0;
  }

  private add(line: string): void {
    const { maxLineChars, maxChars = Number.POSITIVE_INFINITY } = this.request;
    const isLong = line.length > maxLineChars || this.openBytes > this.maxBytes;
    const kept = isLong ? cutLine(line, maxLineChars) : line;
    this.chars += kept.length + 1;
    this.isOverfull = this.chars > maxChars && this.lines.length > 0;
    if (this.isOverfull) return;
    if (isLong) this.cut.push(this.seen + 1);
    this.lines.push(kept);
  }
}

/** The first `limit` characters, without half of a surrogate pair. */
export function cutLine(line: string, limit: number): string {
  const last = line.charCodeAt(limit - 1);
  return line.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}
