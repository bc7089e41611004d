import { availableParallelism } from "node:os";

/**
 * Called before work that blocks the process for some milliseconds: starting a program, or loading the code that every server needs. If it
 * returns a promise, the work waits for it.
 */
export type Quiet = (work: "start" | "load") => Promise<void> | undefined;

/** Concurrent starts per processor. */
const PER_PROCESSOR = 2;

/** Milliseconds after which an unfinished start lets the next one begin anyway. */
const PATIENCE_MS = 100;

/**
 * Limits how many starts run at once. Twenty programs that start together slow each other and the host down; in turn, the first are ready
 * while the last begin. A start that hangs delays the others by no more than its turn. While `quiet` returns a pending promise, no start
 * begins.
 */
export function startsInTurn(quiet?: Quiet): (start: () => Promise<unknown> | undefined) => void {
  let free = availableParallelism() * PER_PROCESSOR;
  const queue: (() => Promise<unknown> | undefined)[] = [];
  let isComing = false;

  function next(): void {
    const until = quiet?.("start");
    if (until) void until.then(begin, begin);
    else begin();
  }

  function begin(): void {
    isComing = false;
    const start = free > 0 ? queue.shift() : undefined;
    if (!start) return;
    free -= 1;
    const timer = setTimeout(leave, PATIENCE_MS);
    let hasLeft = false;
    function leave(): void {
      if (hasLeft) return;
      hasLeft = true;
      clearTimeout(timer);
      free += 1;
      come();
    }
    void Promise.resolve(start()).finally(leave);
    come();
  }

  /**
   * Starts two turns of the event loop later: starting a program takes milliseconds, and others wait for the loop. The host needs the work
   * of its next turn, such as loading the model's SDK, in any case.
   */
  function come(): void {
    if (isComing || free === 0 || queue.length === 0) return;
    isComing = true;
    setImmediate(() => setImmediate(next));
  }

  return (start) => {
    queue.push(start);
    come();
  };
}
