import type { Merged } from "./merge.ts";

/** Most paths in a list. */
const MOST_NAMED = 20;

/**
 * A merge in words for the model. `who` has worked in the copy: `agent`, `job`. `isAgreed`: its versions of the conflicts
 * were applied after a question.
 */
export function mergedWords(
  { combined, conflicts, held, kept, failed, branch }: Merged,
  who: string,
  isAgreed = false,
): string {
  const isHeld = conflicts.length > 0 && !isAgreed;
  return [
    combined.length > 0 ? `Merged with others' changes: ${list(combined)}.` : "",
    conflicts.length > 0 && isAgreed ? `The ${who}'s version replaced others' changes: ${list(conflicts)}.` : "",
    isHeld
      ? `Others changed these too, so the ${who}'s version is held as ${held.join(", ")} (HeldChanges): ${list(conflicts)}.`
      : "",
    kept.length > 0 ? `Not removed, because others changed it: ${list(kept)}.` : "",
    failed.length > 0
      ? `Not merged: ${failed
          .map(({ path, why }) => `${path}: ${why}`)
          .slice(0, MOST_NAMED)
          .join("; ")}${held.length > 0 ? ` Held as ${held.join(", ")}.` : ""}`
      : "",
    branch === undefined ? "" : `Its commits are on the branch ${branch}, because others committed in the meantime.`,
  ]
    .filter(Boolean)
    .join(" ");
}

const list = (paths: readonly string[]): string =>
  paths.length > MOST_NAMED
    ? `${paths.slice(0, MOST_NAMED).join(", ")} and ${paths.length - MOST_NAMED} more`
    : paths.join(", ");
