import { display } from "@haft/core/tool";
import { readable } from "../image/raw-path.ts";
import type { Ledger } from "../ledger.ts";

/** What was seen to change while a job ran. */
export interface Seen {
  readonly changed: Set<string>;
  /** What cannot be undone, with the reason. */
  readonly losses: Map<string, string>;
  /** Folders that git ignores, in which something changed. */
  readonly outputs: Set<string>;
}

/** Names that are listed. */
const SHOWN = 10;

/** That something changed in folders which can be made again; "" where that are none. */
export const outputWords = (root: string, outputs: readonly string[]): string =>
  outputs.length === 0
    ? ""
    : `In folders that git ignores, and that can be made again: ${list(root, [...outputs].sort())}.`;

function list(root: string, paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN).map((path) => readable(display(root, path)) || ".");
  return shown.join(", ") + (paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : "");
}

/** What changed in files while a job ran, for the model; "" when nothing did. */
export function wordsOf(
  { root, ways }: Pick<Ledger, "root" | "ways">,
  call: string,
  { changed, losses, outputs }: Seen,
): string {
  const undoable = [...changed].filter((path) => !losses.has(path)).sort();
  const why = [...new Set(losses.values())].slice(0, 3).join(" ");
  return [
    undoable.length > 0 ? `Files changed while it ran: ${list(root, undoable)}. ${ways.undo(call)}` : "",
    losses.size > 0 ? `Not undoable: ${list(root, [...losses.keys()])}. ${why}` : "",
    outputWords(root, [...outputs]),
  ]
    .filter(Boolean)
    .join(" ");
}
