/** Work in steps: the runner may let other work run between two of them (cooperative yield). */
export type InSteps<T> = Generator<void, T, void>;

/** Number of items in a step: a few milliseconds. */
const STEP = 200;

/** Visits items, with a step now and then. */
export function* eachInSteps<T>(items: Iterable<T>, visit: (item: T, index: number) => void): InSteps<void> {
  let index = 0;
  for (const item of items) {
    visit(item, index);
    index += 1;
    if (index % STEP === 0) yield;
  }
}

/** Runs all steps synchronously. */
export function atOnce<T>(work: InSteps<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Runs all steps, with a pause after each. */
export async function withPauses<T>(work: InSteps<T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pause();
  }
}
