import type { State } from "@haft/core/tool";

/** Named values that live as long as this object: one for each session. */
export function createState(initial: Readonly<Record<string, unknown>> = {}): State {
  const values = new Map<string, unknown>(Object.entries(initial));
  return {
    get: <T>(name: string) => values.get(name) as T | undefined,
    set: (name, value) => {
      values.set(name, value);
    },
  };
}
