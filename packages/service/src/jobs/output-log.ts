import type { Readable } from "node:stream";
import type { JobOutput, JobWindow } from "@haft/core/tool";
import { collectLines, cutCharacter } from "./lines.ts";
import type { LogFile } from "./log-file.ts";
import { Ring } from "./ring.ts";

/** Bytes of a job's latest output that are kept in memory. */
const RING_BYTES = 1024 * 1024;
/** Most bytes that a window of lines returns. */
const LINES_BYTES = 256 * 1024;

/** A job's output: the beginning in a file, the end in memory. */
export class OutputLog {
  readonly file: LogFile | undefined;
  private readonly ring: Ring;
  /** Offset up to which `new` has been returned. */
  private cursor = 0;

  constructor(file: LogFile | undefined, ringBytes = RING_BYTES) {
    this.file = file;
    this.ring = new Ring(ringBytes);
  }

  get bytes(): number {
    return this.ring.bytes;
  }

  /** Lines so far; an unfinished last line counts. */
  get lines(): number {
    return this.ring.lines + (this.ring.endsLine ? 0 : 1);
  }

  /** Reads a stream to its end. When the file is slower than the job, the job is slowed down. */
  listen(stream: Readable): void {
    stream.on("data", (chunk: Buffer) => {
      this.ring.add(chunk);
      if (this.file?.add(chunk) !== false) return;
      stream.pause();
      this.file.whenFree(() => stream.resume());
    });
  }

  /** Adds Haft's own text, on its own line. */
  note(text: string): void {
    const line = Buffer.from(`${this.ring.bytes === 0 || this.ring.endsLine ? "" : "\n"}${text}\n`);
    this.ring.add(line);
    this.file?.add(line);
  }

  async window(window: JobWindow, isOver: boolean): Promise<JobOutput> {
    if (window.part === "lines") return this.someLines(window.first, window.limit);
    const from = window.part === "new" ? this.cursor : 0;
    const kept = Math.max(from, this.ring.start, this.bytes - window.maxBytes);
    const bytes = this.ring.from(kept);
    // An incomplete character comes with the next read.
    const whole = bytes.subarray(0, bytes.length - (isOver ? 0 : cutCharacter(bytes)));
    if (window.part === "new") this.cursor = kept + whole.length;
    const begin = kept > from ? headOf(whole) : 0;
    return { text: whole.subarray(begin).toString("utf8"), skipped: kept - from + begin };
  }

  private async someLines(wanted: number | undefined, limit: number): Promise<JobOutput> {
    const first = Math.max(1, wanted ?? this.lines - limit + 1);
    const wish = { first, limit, maxBytes: LINES_BYTES };
    const inRing = first > this.ring.firstLine || this.ring.start === 0;
    if (inRing)
      return this.answer(
        await collectLines([this.ring.from(this.ring.start)], { ...wish, base: this.ring.firstLine }),
        first,
      );
    if (this.file) {
      const bytes = await collectLines(this.file.read(0), { ...wish, base: 1 });
      if (bytes.length > 0) return this.answer(bytes, first);
    }
    // Neither the file nor the memory has these lines any more. Returns the oldest that are still there.
    const base = this.ring.firstLine;
    const next = { ...wish, first: base + 1, base };
    return this.answer(await collectLines([this.ring.from(this.ring.start)], next), base + 1);
  }

  private answer(bytes: Buffer, first: number): JobOutput {
    const whole = bytes.subarray(0, bytes.length - cutCharacter(bytes));
    return { text: whole.toString("utf8"), skipped: 0, first };
  }
}

/** Bytes at the beginning that belong to a character whose start was cut off. */
function headOf(bytes: Buffer): number {
  let head = 0;
  while (head < 3 && head < bytes.length && (bytes[head]! & 0xc0) === 0x80) head++;
  return head;
}
