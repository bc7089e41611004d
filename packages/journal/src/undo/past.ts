import { holds, type Image, readWhole } from "../image/image.ts";
import type { Ledger } from "../ledger.ts";
import type { Entry, History } from "../store/record.ts";
import { belongs } from "./select.ts";

/** A path at a moment of the past. */
export interface PastState {
  /** Absolute. */
  readonly path: string;
  readonly image: Image;
}

/** A moment in a session: right after one of its calls. `at`: the time at which the call ended, if it changed nothing. */
export interface Moment {
  readonly session: string;
  readonly call: string;
  /** ISO 8601. */
  readonly at?: string;
}

/**
 * The state of every path that the session changes at any time, right after a call. It follows from the records alone:
 * the last change before that moment says what it left, else the first change after it says what it found.
 */
export function pastStates({ entries }: History, moment: Moment): readonly PastState[] {
  const done = entries.filter(({ state }) => state === "done");
  const own = new Set(
    done.filter(({ session }) => session === moment.session).flatMap(({ changes }) => pathsOf(changes)),
  );
  const end = endOf(done, moment);
  const states = new Map<string, Image>();
  for (const [index, { changes }] of done.entries())
    for (const { path, before, after } of changes) {
      if (!own.has(path)) continue;
      if (index <= end) states.set(path, after);
      else if (!states.has(path)) states.set(path, before);
    }
  return [...states].map(([path, image]) => ({ path, image })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

const pathsOf = (changes: Entry["changes"]): readonly string[] => changes.map(({ path }) => path);

/** The last entry of the call, or the last one before it ended. */
function endOf(entries: readonly Entry[], { session, call, at }: Moment): number {
  const own = entries.findLastIndex(
    (entry) =>
      entry.session === session && (entry.kind === "write" || entry.kind === "command") && belongs(entry.call, call),
  );
  return own >= 0 || at === undefined ? own : entries.findLastIndex((entry) => entry.at <= at);
}

/** The content of a file at a moment; `undefined` for other entries, or if the content is no longer stored. */
export function pastContent({ blobs }: Pick<Ledger, "blobs">, { path, image }: PastState): Buffer | undefined {
  if (image.type !== "file") return undefined;
  try {
    if (holds(path, image)) return readWhole(path).bytes;
    return image.kept === undefined ? blobs.read(image.hash) : readWhole(image.kept).bytes;
  } catch {
    return undefined;
  }
}
