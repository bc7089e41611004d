import type { Change, Loss } from "./record.ts";

/** Changes whose old state is lost. */
export const lossesIn = (changes: readonly Change[]): readonly Loss[] =>
  changes.flatMap(({ path, before }) => {
    if (before.type === "lost") return [{ path, why: before.why }];
    return before.type === "other" ? [{ path, why: `A ${before.what} cannot be restored.` }] : [];
  });
