import { type Clock, HaftError } from "@haft/core/tool";

/** Most milliseconds that a store may take for one operation. */
const STORE_MS = 10_000;

/**
 * One operation of a store that is not ours.
 *
 * @throws HaftError `execution_failed` if it fails or takes too long. Whether it was carried out is then unknown.
 */
export async function fromStore<T>(name: string, clock: Clock, act: () => T | Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = clock.sleep(STORE_MS, over.signal).then(
    () => Promise.reject(new Error(`it gave no answer within ${STORE_MS / 1000} seconds`)),
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([Promise.resolve().then(act), late]);
  } catch (thrown) {
    throw new HaftError(
      {
        code: "execution_failed",
        message: `The store of ${name} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
        hint: "Make the call again when the store works.",
      },
      { cause: thrown },
    );
  } finally {
    over.abort();
  }
}
