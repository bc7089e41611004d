import { type Readable, Writable } from "node:stream";

/** Bytes of answers that may wait for a client that does not read them. */
const MOST_WAITING = 16 * 1024 * 1024;

/** Characters with which answers leave that are ready: their reader begins while the others are put together. */
const ENOUGH = 1_000;

/** How a notification begins, as the SDK writes it. */
const NEWS = /^\{"jsonrpc":"2\.0","method":"notifications\//;

/** Milliseconds that an answer stays behind news. */
const BEHIND_NEWS_MS = 5;

/**
 * Answers that are ready together leave together: a write to a pipe costs more than most calls. News leave at once, and
 * an answer a moment after them: clients on the SDK do not hear of progress that they read in one piece with its answer.
 * `write` takes what needs no stream, in the same order. A client that reads no answers is not asked for more questions.
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
      // Whoever writes much waits for whoever reads.
      if (out.writableNeedDrain) out.once("drain", done);
      else done();
    },
  });
  return { stream, write };
}
