import { availableParallelism } from "node:os";

/**
 * Asked before what holds the process up for some milliseconds: the start of a program, or the loading of the code without which
 * no server gets ready. When it gives a promise, that is waited for.
 */
export type Quiet = (work: "start" | "load") => Promise<void> | undefined;

/** Starts for each processor that are on their way at the same time. */
const PER_PROCESSOR = 2;

/** Milliseconds after which a start that has come to no end lets the next one begin all the same. */
const PATIENCE_MS = 100;

/**
 * Lets starts begin in turn, a few at once. Twenty programs that start together hold each other up, and whoever started
 * them: so the first are ready while the last begin. One that hangs delays the others by no more than its turn. While
 * `quiet` gives a promise, none begins until that resolves.
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
   * At the loop's turn after the next: to start a program takes milliseconds, and others wait for their part of it. What the
   * host does in its next turn, such as loading the model's SDK, it needs in any case.
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
