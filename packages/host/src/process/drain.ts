import { Socket } from "node:net";
import type { Readable } from "node:stream";

/** Longest wait for pipes that a child keeps open without writing. */
const QUIET_MS = 100;
/** Longest wait for pipes that a child keeps open and writes to. */
const BUSY_MS = 1000;

/**
 * Waits, after a program has ended, until its pipes are read to their end. Resolves to `false`, and stops listening, if
 * living children hold them open.
 */
export async function drain(streams: readonly (Readable | null)[]): Promise<boolean> {
  const open = new Set(
    streams.filter((stream): stream is Readable => stream !== null && !stream.readableEnded && !stream.destroyed),
  );
  if (open.size === 0) return true;
  const isDone = await new Promise<boolean>((resolve) => {
    const started = performance.now();
    let last = started;
    const timer = setInterval(() => {
      const now = performance.now();
      if (now - last >= QUIET_MS || now - started >= BUSY_MS) settle(false);
    }, 20);
    const settle = (all: boolean) => {
      clearInterval(timer);
      resolve(all);
    };
    for (const stream of open) {
      stream.on("data", () => {
        last = performance.now();
      });
      stream.once("close", () => {
        open.delete(stream);
        if (open.size === 0) settle(true);
      });
    }
  });
  for (const stream of open) letGo(stream);
  return isDone;
}

/** Reads on and discards: a background program would die of a closed pipe at its next write. */
function letGo(stream: Readable): void {
  stream.removeAllListeners("data");
  stream.resume();
  if (stream instanceof Socket) stream.unref();
}
