import { answerId, noAnswer, tooLong } from "./answer-id.ts";

interface EventBound {
  readonly maxBytes: number;
  /** The call that the stream answers, if it belongs to one call. Otherwise the event itself must name it. */
  readonly id: number | undefined;
}

const LF = 10;
const CR = 13;

/** Bytes of each end of an event that are kept to recognise it. */
const KEPT = 1024;

/**
 * Limits the length of each event in a stream. The rest of a longer one is dropped, and replaced by an error for the call that it answers.
 * The events after it are unchanged.
 */
export function eventBound({ maxBytes, id }: EventBound): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let head = "";
  let tail = "";
  let isBlank = true;
  let isOver = false;

  function note(piece: Uint8Array): void {
    size += piece.length;
    isBlank &&= piece.length <= 2 && piece.every((byte) => byte === LF || byte === CR);
    if (head.length < KEPT) head += latin(piece.subarray(0, KEPT));
    tail = (tail + latin(piece.subarray(-KEPT))).slice(-KEPT);
  }

  /** The next reader already has the beginning of the event: an empty line makes it discard that. */
  function instead(): Uint8Array {
    const answered = id ?? answerId(head.slice(Math.max(0, head.indexOf("{"))), tail);
    const error = answered === undefined ? "" : `data: ${JSON.stringify(noAnswer(answered, tooLong(maxBytes)))}\n\n`;
    return new TextEncoder().encode(`\n\n${error}`);
  }

  return new TransformStream({
    transform(chunk, controller) {
      let passed = 0;
      for (let from = 0; from < chunk.length; ) {
        const feed = chunk.indexOf(LF, from);
        const to = feed < 0 ? chunk.length : feed + 1;
        note(chunk.subarray(from, to));
        if (size > maxBytes) {
          if (!isOver) controller.enqueue(chunk.subarray(passed, from));
          isOver = true;
          passed = to;
        }
        if (feed >= 0 && isBlank) {
          if (isOver) controller.enqueue(instead());
          [size, head, tail, isOver] = [0, "", "", false];
        }
        if (feed >= 0) isBlank = true;
        from = to;
      }
      if (passed < chunk.length) controller.enqueue(chunk.subarray(passed));
    },
    flush(controller) {
      if (isOver) controller.enqueue(instead());
    },
  });
}

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
