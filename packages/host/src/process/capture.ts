import { grouped } from "@haft/core/tool";

type Stream = "stdout" | "stderr";

interface Piece {
  readonly stream: Stream;
  readonly text: string;
}

/** Characters of output to keep in memory. */
const CAPTURE_CHARS = 16 * 1024 * 1024;
/** The share kept from the beginning. The rest is kept from the end, where errors and summaries are. */
const HEAD_SHARE = 0.2;

/** Output of a program in order of arrival, with bounded memory: the beginning, a note on omitted text, the end. */
export class Capture {
  private readonly head: Piece[] = [];
  private readonly tail: Piece[] = [];
  private headRoom: number;
  private readonly tailRoom: number;
  private tailChars = 0;
  private tailStart = 0;
  private dropped = 0;
  private readonly droppedOf: Record<Stream, number> = { stdout: 0, stderr: 0 };

  constructor(limit = CAPTURE_CHARS) {
    this.headRoom = Math.floor(limit * HEAD_SHARE);
    this.tailRoom = limit - this.headRoom;
  }

  add(stream: Stream, text: string): void {
    const own = text.slice(0, this.headRoom);
    if (own !== "") this.head.push({ stream, text: own });
    this.headRoom -= own.length;
    const rest = text.slice(own.length);
    if (rest === "") return;
    this.tail.push({ stream, text: rest });
    this.tailChars += rest.length;
    while (this.tailChars - (this.tail[this.tailStart]?.text.length ?? 0) >= this.tailRoom) this.dropOldest();
  }

  /** Everything, or the part of one stream. */
  text(stream?: Stream): string {
    const of = (pieces: readonly Piece[]) =>
      pieces
        .filter((piece) => stream === undefined || piece.stream === stream)
        .map((piece) => piece.text)
        .join("");
    const missing = stream === undefined ? this.dropped : this.droppedOf[stream];
    const note = missing === 0 ? "" : `\n[${grouped(missing)} characters of output are not kept]\n`;
    return of(this.head) + note + of(this.tail.slice(this.tailStart));
  }

  private dropOldest(): void {
    const piece = this.tail[this.tailStart];
    if (!piece) return;
    this.tailStart += 1;
    this.tailChars -= piece.text.length;
    this.dropped += piece.text.length;
    this.droppedOf[piece.stream] += piece.text.length;
    if (this.tailStart < 1024) return;
    this.tail.splice(0, this.tailStart);
    this.tailStart = 0;
  }
}
