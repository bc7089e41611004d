import { display } from "@haft/core/tool";
import { readable } from "../image/raw-path.ts";
import type { Ledger } from "../ledger.ts";

/** Changes that were seen while a job ran. */
export interface Seen {
  readonly changed: Set<string>;
  /** Changes that cannot be undone, with the reason. */
  readonly losses: Map<string, string>;
  /** Changed folders that git ignores. */
  readonly outputs: Set<string>;
}

/** Most names in a list. */
const SHOWN = 10;

/** A note that reproducible folders changed; "" if there are none. */
export const outputWords = (root: string, outputs: readonly string[]): string =>
  outputs.length === 0 ? "" : `In ignored folders that can be rebuilt: ${listed(root, [...outputs].sort())}.`;

/** Paths relative to the workspace, the first ten by name. */
export function listed(root: string, paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN).map((path) => readable(display(root, path)) || ".");
  return shown.join(", ") + (paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : "");
}

/** The file changes while a job ran, for the model; "" for none. */
export function wordsOf(
  { root, ways }: Pick<Ledger, "root" | "ways">,
  call: string,
  { changed, losses, outputs }: Seen,
): string {
  const undoable = [...changed].filter((path) => !losses.has(path)).sort();
  const why = [...new Set(losses.values())].slice(0, 3).join(" ");
  return [
    undoable.length > 0 ? `Files changed while it ran: ${listed(root, undoable)}. ${ways.undo(call)}` : "",
    losses.size > 0 ? `Not undoable: ${listed(root, [...losses.keys()])}. ${why}` : "",
    outputWords(root, [...outputs]),
  ]
    .filter(Boolean)
    .join(" ");
}
