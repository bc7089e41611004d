import { ReplacedError } from "../image/exact.ts";
import { equal, holds, type Image, lookAt, NONE } from "../image/image.ts";
import { leftNode, lossesIn } from "../store/loss.ts";
import type { Change, Entry, History, Loss } from "../store/record.ts";
import { emptyFolders } from "./remove-empty-folders.ts";
import { virtualTree } from "./virtual.ts";

/** A path that does not hold what the journal left there. */
export interface Conflict {
  readonly path: string;
  /** The call whose change was to be undone. */
  readonly call: string;
  /** Its current state, in words. */
  readonly why: string;
}

/** The effect of an undo or redo, entry by entry. */
export interface Plan {
  readonly kind: "undo" | "redo";
  readonly steps: readonly Step[];
  readonly conflicts: readonly Conflict[];
  /** Changes of these calls that the journal could not keep. */
  readonly losses: readonly Loss[];
  /** Every path with its current and its new state. */
  readonly net: readonly Change[];
}

export interface Step {
  readonly entry: Entry;
  /** Inverse changes, without those that are in conflict or lost. */
  readonly changes: readonly Change[];
  /** Paths with old content that a device or socket hides: they can be undone when it is removed. */
  readonly left?: ReadonlySet<string>;
}

/** Simulates the undo of entries, the latest first. Each path must hold what the journal left there. Changes nothing. */
export function planOf(kind: Plan["kind"], entries: readonly Entry[], history: History): Plan {
  const tree = virtualTree();
  const first = new Map<string, Image>();
  const conflicts = new Map<string, Conflict>();
  const own = new Set(entries.map(({ id }) => id));
  const losses: Loss[] = [];
  const folders = emptyFolders(kind, tree, history, own);
  const block = ({ path, after }: Change, entry: Entry) => {
    const why = isReplaced(path) ? REPLACED : after.type === "tree" ? TREE_CHANGED : whyNot(path, entry, history, own);
    if (!conflicts.has(path)) conflicts.set(path, { path, call: entry.call, why });
  };
  /** The state of a path that the undo of a later change had to leave, since its old content is lost. */
  const leftAs = ({ path, after }: Change, entry: Entry): Image | undefined => {
    if (kind === "redo") return undefined;
    // Somebody removed the device or socket, as the loss of it says.
    if (after.type === "other" && tree.holds(path, NONE)) return NONE;
    const isUndone = ({ id, undoneBy }: Entry): boolean => own.has(id) || undoneBy !== undefined;
    return laterThan(entry, history)
      .filter(isUndone)
      .flatMap(({ changes }) => changes)
      .find((later) => later.path === path && lossesIn([later]).length > 0 && tree.holds(path, later.after))?.after;
  };
  const steps = entries.map((entry): Step => {
    losses.push(...(entry.losses ?? []));
    const changes: Change[] = [];
    const left = new Set<string>();
    // Deeper paths first: the content of a folder is checked before the folder.
    for (const change of [...entry.changes].sort((a, b) => (a.path < b.path ? 1 : -1))) {
      const { path, before, after, shared } = change;
      const lost = lossesIn([{ path, before, after }]);
      losses.push(...lost);
      if (lost.length > 0) continue;
      const there = tree.holds(path, after) ? after : leftAs(change, entry);
      if (there === undefined) {
        // The path already has the state that it should get, no matter who did it.
        if (tree.holds(path, before)) continue;
        const node = isReplaced(path) ? [] : leftNode(path, tree.at(path));
        losses.push(...node);
        if (node.length === 0) block(change, entry);
        else if (before.type !== "none") left.add(path);
      } else {
        if (!first.has(path)) first.set(path, withDetails(tree.at(path), there));
        // A leftover may be a name of somebody else's file, so it is replaced and not written to.
        const how = there !== after ? { alone: true as const } : shared ? { shared } : {};
        changes.push({ path, before: there, after: before, ...how });
      }
    }
    // Only now: a removal must not hide paths that the same step has yet to check.
    for (const { path, after } of [...changes].reverse()) tree.set(path, after);
    const settled = folders.settle(entry, changes);
    for (const { path, before } of settled) if (!first.has(path)) first.set(path, before);
    return { entry, changes: settled, ...(left.size > 0 ? { left } : {}) };
  });
  losses.push(...folders.losses());
  const net = [...first]
    .map(([path, before]): Change => ({ path, before, after: tree.at(path) }))
    .filter(({ before, after }) => !equal(before, after));
  return { kind, steps, conflicts: [...conflicts.values()], losses, net };
}

/** Nobody reads the attributes of every path; the journal knows those that it left there. */
function withDetails(now: Image, known: Image): Image {
  if (!("attributes" in known) || known.attributes === undefined || now.type !== known.type) return now;
  return { ...now, attributes: known.attributes } as Image;
}

/** Its entries are not recorded one by one, so the author of a change in it is unknown. */
const TREE_CHANGED =
  "something in it has changed since, and so large a folder can only be undone unchanged; remove it by hand";

const REPLACED = "a parent folder has become a link";

/** Whether a path leads through a link that did not exist when the journal recorded the path. */
function isReplaced(path: string): boolean {
  try {
    lookAt(path);
    return false;
  } catch (thrown) {
    return thrown instanceof ReplacedError;
  }
}

const laterThan = (entry: Entry, { entries }: History): readonly Entry[] =>
  entries.slice(entries.findIndex(({ id }) => id === entry.id) + 1);

function whyNot(path: string, entry: Entry, history: History, own: ReadonlySet<string>): string {
  const by = laterThan(entry, history).find(
    ({ id, kind, state, undoneBy, changes }) =>
      !own.has(id) &&
      (kind === "write" || kind === "command") &&
      state === "done" &&
      undoneBy === undefined &&
      changes.some((change) => change.path === path),
  );
  if (by) return `call ${by.call} (${by.tool}) changed it afterwards; undo that first`;
  const undone = laterThan(entry, history).findLast(
    ({ kind, state, changes }) =>
      (kind === "undo" || kind === "redo") &&
      state === "done" &&
      changes.some((change) => change.path === path && holds(path, change.after)),
  );
  if (undone) {
    const of = undone.session === entry.session ? "" : ` of session ${undone.session}`;
    return `the ${undone.kind} of call ${undone.call} (${undone.tool})${of} changed it afterwards`;
  }
  return "it was changed since, outside Haft";
}
