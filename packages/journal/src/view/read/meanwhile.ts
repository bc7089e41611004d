import { type BigIntStats, readFileSync, writeFileSync } from "node:fs";
import { isWithin, parent } from "@haft/core/tool";
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
  const own = ownMarks(view.folder);
  if (copied?.marks) return changedByMarks(new Map([...copied.marks, ...own].filter(([, mark]) => mark !== "")));
  return withKnown(changedByClock(view, copied), new Map([...marksAtStart(view.folder), ...own]));
}

const ownMarksOf = (folder: string): string => `${folder}/own-marks`;

/** Notes how a commit that failed halfway left these paths and the folders above them: that is no change by others. */
export function noteOwnMarks({ folder, root }: View, paths: readonly string[]): void {
  const all = new Set(paths);
  for (const path of paths)
    for (let above = parent(path); above.length > root.length; above = parent(above)) all.add(above);
  const marks = [...all].map((path) => {
    const found = statOf(path);
    return [path, found ? markFor(found) : ""];
  });
  writeFileSync(ownMarksOf(folder), JSON.stringify(marks), { mode: 0o600 });
}

function ownMarks(folder: string): ReadonlyMap<string, string> {
  try {
    return new Map(JSON.parse(readFileSync(ownMarksOf(folder), "utf8")));
  } catch {
    return new Map();
  }
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

/** Exact for entries with a mark: the files that the command declared. `""`: there was none. */
const withKnown = (others: Meanwhile, marks: ReadonlyMap<string, string>): Meanwhile => {
  const isChanged = (path: string, real: BigIntStats): boolean => {
    const then = marks.get(path);
    return then === undefined ? others.isChanged(path, real) : then !== markFor(real);
  };
  return {
    isChanged,
    isTreeChanged(path, real) {
      if (![...marks.keys()].some((known) => isWithin(path, known))) return others.isTreeChanged(path, real);
      const below = [...scan(path, { limit: Number.POSITIVE_INFINITY }).entries.keys()];
      return isChanged(path, real) || below.some((inner) => isChanged(inner, statOf(inner) ?? real));
    },
    isGone: (path) => marks.get(path) !== "" && others.isGone(path),
  };
};

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
