/** Work in steps: whoever runs it may let others in between two of them. */
export type InSteps<T> = Generator<void, T, void>;

/** Items that make a step: a few milliseconds. */
const STEP = 200;

/** Goes through items, with a step now and then. */
export function* eachInSteps<T>(items: Iterable<T>, visit: (item: T, index: number) => void): InSteps<void> {
  let index = 0;
  for (const item of items) {
    visit(item, index);
    index += 1;
    if (index % STEP === 0) yield;
  }
}

/** All at once. */
export function atOnce<T>(work: InSteps<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** With a pause after each step. */
export async function withPauses<T>(work: InSteps<T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pause();
  }
}
