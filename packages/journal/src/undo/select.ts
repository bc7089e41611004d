import { fail } from "@haft/core/tool";
import { curedBy } from "../hints.ts";
import { equal } from "../image/image.ts";
import type { Entry, History } from "../store/record.ts";

/** The scope of an undo. By default: the last call that changed files. */
export interface UndoScope {
  /** This call, including the calls that it made. */
  readonly call?: string;
  /** All calls of this turn. */
  readonly turn?: number;
  /** Everything after this call; the call itself stays. */
  readonly to?: string;
  /** All changes of the session. */
  readonly all?: boolean;
  /** Default: the session of the last call that changed files. */
  readonly session?: string;
}

/** The entries of a scope, the latest first. Throws if there are none. */
export function selectEntries(history: History, scope: UndoScope): readonly Entry[] {
  const standing = history.entries.filter(stands);
  const session = scope.session ?? lasting(standing).at(-1)?.session;
  const own = lasting(standing.filter((entry) => entry.session === session));
  const last = own.at(-1);
  if (!last) return nothing(history, scope);
  const chosen = own.filter(chooser(scope, own, last));
  if (chosen.length === 0) return nothing(history, scope);
  return chosen.reverse();
}

/** The entries of the last undo, in the order of their redo. */
export function selectUndone(history: History, { call, session }: UndoScope): readonly Entry[] {
  const undone = history.entries.filter(
    ({ kind, state, undoneBy }) => kind === "undo" && state === "done" && !undoneBy,
  );
  const last = undone.findLast(
    (entry) =>
      (session === undefined || entry.session === session) && (call === undefined || belongs(entry.call, call)),
  );
  if (!last) return fail("validation_failed", "There is nothing to redo.", "Undo something first.", curedBy("undo"));
  const together = undone.filter((entry) =>
    call === undefined ? entry.group === last.group : entry.session === last.session && belongs(entry.call, call),
  );
  return together.reverse();
}

/** A change that has not been undone. */
export const stands = ({ kind, state, undoneBy }: Entry): boolean =>
  (kind === "write" || kind === "command") && state === "done" && undoneBy === undefined;

/** Leaves out calls that undid their own changes, such as a patch with a later section that fails. */
function lasting(entries: readonly Entry[]): readonly Entry[] {
  const byCall = Map.groupBy(entries, ({ session, call }) => JSON.stringify([session, call]));
  const idle = new Set([...byCall.values()].filter((own) => own.length > 1 && cancelsOut(own)).flat());
  return entries.filter((entry) => !idle.has(entry));
}

/** Whether each path ends in its first state, and nobody else changed it in between. */
function cancelsOut(entries: readonly Entry[]): boolean {
  if (entries.some(({ losses = [] }) => losses.length > 0)) return false;
  const byPath = Map.groupBy(
    entries.flatMap(({ changes }) => changes),
    ({ path }) => path,
  );
  return [...byPath.values()].every((changes) =>
    changes.every(({ before }, index) => equal(before, changes.at(index - 1)!.after)),
  );
}

function chooser(scope: UndoScope, own: readonly Entry[], last: Entry): (entry: Entry) => boolean {
  if (scope.all) return () => true;
  if (scope.turn !== undefined) return ({ turn }) => turn === scope.turn;
  const { to } = scope;
  if (to !== undefined) {
    const from = own.findLastIndex(({ call }) => belongs(call, to));
    if (from === -1)
      fail(
        "validation_failed",
        `The journal has no changes of a call "${to}".`,
        "Name a call that changed files.",
        curedBy("name_call"),
      );
    const later = new Set(own.slice(from + 1));
    return (entry) => later.has(entry);
  }
  if (scope.call === undefined && last.jobs) {
    // A job continues while other calls change files. Its latest changes are those after the other calls.
    const from = own.findLastIndex(({ call, jobs }) => call !== last.call || !jobs);
    const latest = new Set(own.slice(from + 1));
    return (entry) => latest.has(entry);
  }
  return ({ call }) => belongs(call, scope.call ?? rootCall(last.call));
}

/** Whether it is this call, or one that this call made: such ids have a number appended. */
export const belongs = (call: string, id: string): boolean => call === id || call.startsWith(`${id}.`);

const rootCall = (call: string): string => call.replace(/(?:\.\d+)+$/, "");

function nothing(history: History, { call, turn, to, session }: UndoScope): never {
  const undone = history.entries.some(
    (entry) =>
      entry.undoneBy !== undefined &&
      (session === undefined || entry.session === session) &&
      (call === undefined || belongs(entry.call, call)) &&
      (turn === undefined || entry.turn === turn),
  );
  const where = session === undefined ? "" : ` in session ${session}`;
  if (undone)
    fail("validation_failed", `Everything is undone already${where}.`, "A redo repeats the last one.", curedBy("redo"));
  const what =
    call !== undefined
      ? `of call "${call}"`
      : turn !== undefined
        ? `of turn ${turn}`
        : to !== undefined
          ? `after "${to}"`
          : undefined;
  const nothing = ["There is nothing to undo: the journal has no changes", what].filter(Boolean).join(" ");
  const whose =
    history.entries.length > 0
      ? ""
      : " The journal belongs to the folder's path: a moved folder has its changes under the old path.";
  return fail(
    "validation_failed",
    `${nothing}${where}.${whose}`,
    "Name a call, a turn or a session that changed files.",
    curedBy("list_calls"),
  );
}
