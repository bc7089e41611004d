import { type BigIntStats, writeFileSync } from "node:fs";
import { parent } from "@haft/core/tool";
import { type Extracted, extractedIn } from "../../base/extract.ts";
import { statOf } from "../../image/image.ts";
import { scan } from "../../image/scan.ts";
import { markFor } from "../../image/trace.ts";
import { printOf } from "../../image/tree.ts";
import { marksAtStart, startMarkOf, type View } from "../mount.ts";
import { upperOf } from "../supply.ts";
import { slipSince } from "./clock.ts";
import { wasCopied } from "./origin.ts";

/** Tells what somebody else changed in the workspace while a command ran in a view. */
export interface Meanwhile {
  /** Whether the entry at a path, with this stat, is another one or was changed. */
  isChanged(path: string, real: BigIntStats): boolean;
  /** Whether a folder or anything in it was changed. */
  isTreeChanged(path: string, real: BigIntStats): boolean;
  /** Whether a path was removed that the command had. */
  isGone(path: string): boolean;
}

const NOTHING: Meanwhile = { isChanged: () => false, isTreeChanged: () => false, isGone: () => false };

/**
 * Compares entries with their marks from the start of the command, where these are known: all of them for a copy, and
 * the declared files for an overlay. For other files of an overlay, the change time must do.
 */
export function meanwhile(view: View, isForced: boolean): Meanwhile {
  const copied = extractedIn(view.folder);
  if (isForced) return NOTHING;
  if (copied?.marks) return changedByMarks(copied.marks);
  return withDeclared(changedByClock(view, copied), marksAtStart(view.folder));
}

/** Marks of all entries that a copy had. An entry without a mark was not there. */
const changedByMarks = (marks: ReadonlyMap<string, string>): Meanwhile => {
  const isChanged = (path: string, real: BigIntStats): boolean => marks.get(path) !== markFor(real);
  return {
    isChanged,
    isTreeChanged: (path, real) =>
      isChanged(path, real) ||
      [...scan(path, { limit: Number.POSITIVE_INFINITY }).entries].some(
        ([inner, { mark }]) => marks.get(inner) !== mark,
      ),
    isGone: (path) => marks.has(path),
  };
};

/** Exact for the files that the command declared. `""`: there was none. */
const withDeclared = (others: Meanwhile, marks: ReadonlyMap<string, string>): Meanwhile => ({
  ...others,
  isChanged(path, real) {
    const then = marks.get(path);
    return then === undefined ? others.isChanged(path, real) : then !== markFor(real);
  },
});

function changedByClock(view: View, copied: Extracted | undefined): Meanwhile {
  const startNs = copied?.since ?? startOf(view);
  const slipNs = slipSince(startMarkOf(view.folder));
  const nowNs = nowAt(view.folder);
  // A time in the future is from another clock, so it is not from a change while the command ran.
  const isLater = (ns: bigint): boolean => ns > startNs - slipNs && ns <= nowNs + slipNs;
  const isChanged = (_: string, { ctimeNs }: BigIntStats): boolean => isLater(ctimeNs);
  const upper = (path: string): string => upperOf(view.folder) + path.slice(view.root.length);
  return {
    isChanged,
    isTreeChanged: (path, real) => isLater(printOf(path).changedNs) || isChanged(path, real),
    isGone(path) {
      const above = statOf(parent(path));
      if (above === undefined || !isLater(above.mtimeNs)) return false;
      return copied ? copied.known.has(path) : wasCopied(upper(path));
    },
  };
}

/** The start of a view's command, on the clock of the workspace's file system. */
export const startOf = (view: View): bigint => statOf(startMarkOf(view.folder))?.ctimeNs ?? 0n;

/** The current time, on the clock of a folder's file system. */
function nowAt(folder: string): bigint {
  const mark = `${folder}/now`;
  writeFileSync(mark, "");
  return statOf(mark)?.ctimeNs ?? 0n;
}
