import { type Readable, Writable } from "node:stream";

/** Maximum bytes of answers that may wait for a client that does not read them. */
const MOST_WAITING = 16 * 1024 * 1024;

/** Characters at which finished answers are written: their reader starts while the others are formatted. */
const ENOUGH = 1_000;

/** The beginning of a notification, as the SDK writes it. */
const NEWS = /^\{"jsonrpc":"2\.0","method":"notifications\//;

/** Milliseconds that an answer waits after a notification. */
const BEHIND_NEWS_MS = 5;

/**
 * Writes answers that are ready together at once: a write to a pipe costs more than most calls. Notifications are
 * written immediately, and an answer a moment after them: SDK clients miss progress that arrives in one piece with its
 * answer. `write` takes data that needs no stream, in the same order. A client that does not read its answers has no
 * further requests read.
 */
export function inOneGo(out: Writable, input: Readable): { readonly stream: Writable; write(text: string): void } {
  let held = "";
  let newsAt = Number.NEGATIVE_INFINITY;
  let soon: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;

  function flush(): void {
    clearImmediate(soon);
    later = undefined;
    if (held === "") return;
    const text = held;
    held = "";
    if (out.write(text) || out.writableLength <= MOST_WAITING || input.isPaused()) return;
    input.pause();
    out.once("drain", () => input.resume());
  }

  function write(text: string): void {
    if (NEWS.test(text)) {
      newsAt = performance.now();
      held += text;
      if (!later) flush();
      return;
    }
    if (held.length > ENOUGH && !later) flush();
    if (held === "") {
      if (performance.now() - newsAt < BEHIND_NEWS_MS) later = setTimeout(flush, BEHIND_NEWS_MS);
      else soon = setImmediate(flush);
    }
    held += text;
  }

  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      write(text);
      // Backpressure: the writer waits for the reader.
      if (out.writableNeedDrain) out.once("drain", done);
      else done();
    },
  });
  return { stream, write };
}
