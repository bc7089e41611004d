/** One promise of an interface. `run` rejects with the reason if it is broken. */
export interface Check {
  readonly name: string;
  run(): Promise<void>;
}

/** Makes a check. */
export const check = (name: string, run: () => Promise<void>): Check => ({ name, run });

/** Fails a check with what was expected and what was found. */
export function expectSame(what: string, found: unknown, wanted: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: found ${a}, expected ${b}.`);
}

/** Fails a check unless the act rejects, with this code if one is given. */
export async function expectFailure(what: string, act: () => Promise<unknown>, code?: string): Promise<void> {
  const thrown = await act().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (!thrown) throw new Error(`${what}: it succeeded but should have failed.`);
  const found = (thrown.error as { readonly code?: unknown } | null)?.code;
  if (code !== undefined && found !== code)
    throw new Error(`${what}: failed with ${String(found)} (${String(thrown.error)}), expected the code ${code}.`);
}
