import type { Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { fail } from "@haft/core/tool";

/** Milliseconds that a write waits for the job to read. */
const WRITE_WAIT_MS = 1000;
/** Most unread bytes that are buffered for a job. */
const WAITING_BYTES = 1024 * 1024;

/** A job's standard input. */
export interface Input {
  readonly isOpen: boolean;
  /** Resolves when the job's pipe has taken it, or a moment later; `waiting` is the number of bytes that it has not taken. */
  write(data: string, end: boolean): Promise<{ readonly waiting: number }>;
  close(): void;
}

export function createInput(stream: Writable | null, id: string): Input {
  // The job may end or close its input at any time.
  stream?.on("error", () => stream.destroy());
  const isOpen = () => stream?.writable === true;
  return {
    get isOpen() {
      return isOpen();
    },
    async write(data, end) {
      if (stream === null)
        fail(
          "validation_failed",
          `Job ${id} has no input.`,
          "Start it again with stdin: true to be able to write to it.",
        );
      if (!isOpen())
        fail(
          "validation_failed",
          `Job ${id} no longer accepts input: the input was closed, or the job has ended.`,
          "Look at its output, and start it again if it is still needed.",
        );
      if (stream.writableLength + Buffer.byteLength(data) > WAITING_BYTES)
        fail(
          "limit_reached",
          `Job ${id} does not read its input: ${stream.writableLength} bytes are already waiting; the limit is ${WAITING_BYTES}.`,
          "Give it time, or stop it.",
        );
      const taken = new Promise<void>((resolve) => {
        stream.write(data, () => resolve());
        if (end) stream.end();
      });
      const giveUp = new AbortController();
      await Promise.race([taken, wait(WRITE_WAIT_MS, undefined, { signal: giveUp.signal }).catch(() => {})]);
      giveUp.abort();
      if (stream.errored)
        fail(
          "validation_failed",
          `Job ${id} has closed its input; part of the text was not read.`,
          "Look at its output for the reason.",
        );
      return { waiting: stream.writableLength };
    },
    close: () => void stream?.destroy(),
  };
}
