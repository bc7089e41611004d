import type { Readable } from "node:stream";

/** After a program has ended, a child may keep its pipes open. Longest wait in milliseconds: without output, and in all. */
const QUIET_MS = 100;
const BUSY_MS = 1000;

/** Resolves when all streams have ended, or none has had data for a moment. Keeps listening to them afterwards. */
export function whenQuiet(streams: readonly Readable[]): Promise<void> {
  return new Promise((resolve) => {
    const started = performance.now();
    let last = started;
    const open = new Set(streams.filter((stream) => !stream.readableEnded && !stream.destroyed));
    const news = () => {
      last = performance.now();
    };
    const timer = setInterval(() => {
      const now = performance.now();
      if (open.size === 0 || now - last >= QUIET_MS || now - started >= BUSY_MS) done();
    }, 10);
    const done = () => {
      clearInterval(timer);
      for (const stream of streams) stream.off("data", news);
      resolve();
    };
    for (const stream of open) {
      stream.on("data", news);
      for (const event of ["end", "close"]) stream.once(event, () => open.delete(stream) && open.size === 0 && done());
    }
    if (open.size === 0) done();
  });
}
