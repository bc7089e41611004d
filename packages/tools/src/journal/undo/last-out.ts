import { isWithin } from "@haft/core/tool";
import type { Change, Entry, History, Loss } from "../store/record.ts";
import { stands } from "./select.ts";
import type { VirtualTree } from "./virtual.ts";

/**
 * Folders that are to go and in which something still lies: each goes with the last of that, be it in a later step of the
 * same plan or in a later undo.
 */
export interface LastOut {
  /** The changes of a step, which the tree holds already, with those folders alone that can go, and those that now can. */
  settle(entry: Entry, changes: readonly Change[]): readonly Change[];
  /** Folders that stay for something that the journal does not know. */
  losses(): readonly Loss[];
}

export function lastOut(kind: "undo" | "redo", tree: VirtualTree, history: History, own: ReadonlySet<string>): LastOut {
  const waiting = new Map<string, Waiting>();
  if (kind === "undo") for (const left of leftBehind(history)) waiting.set(left.change.path, left);
  /** Those that this plan was to remove. */
  const wanted = new Set<string>();
  return {
    settle(entry, changes) {
      const going = changes.filter((change) => !isFolderRemoval(change));
      for (const change of changes.filter(isFolderRemoval)) {
        tree.set(change.path, change.before);
        waiting.set(change.path, { change });
        wanted.add(change.path);
      }
      for (const { change, with: companions } of [...waiting.values()].sort(deepestFirst)) {
        const { path, before, after } = change;
        if (companions?.has(entry.id) === false || !tree.holds(path, before) || tree.inside(path).length > 0) continue;
        tree.set(path, after);
        waiting.delete(path);
        going.push(change);
      }
      return going;
    },
    losses() {
      const others = history.entries.filter((entry) => stands(entry) && !own.has(entry.id));
      const known = new Set(others.flatMap(({ changes }) => changes.map(({ path }) => path)));
      const isForeign = (inner: string) => !known.has(inner) && !waiting.has(inner);
      return [...wanted]
        .filter((path) => waiting.has(path) && tree.inside(path).some(isForeign))
        .map((path) => ({ path, why: "It holds files that the journal does not know." }));
    },
  };
}

interface Waiting {
  readonly change: Change;
  /** The entries with which it may go, by name. Absent: any. */
  readonly with?: ReadonlySet<string>;
}

const isFolderRemoval = ({ before, after }: Change): boolean => before.type === "folder" && after.type === "none";

const deepestFirst = (a: Waiting, b: Waiting): number => (a.change.path < b.change.path ? 1 : -1);

/** Folders of calls that were undone while something of others lay in them: they go with what lay in them then. */
function leftBehind({ entries }: History): readonly Waiting[] {
  const at = new Map(entries.map(({ id }, index) => [id, index]));
  return entries.flatMap(({ changes, undoneBy = "" }) => {
    const end = at.get(undoneBy);
    if (end === undefined) return [];
    const removed = new Set(entries[end]?.changes.map(({ path }) => path));
    return changes.flatMap(({ path, before, after }): Waiting[] => {
      if (before.type !== "none" || after.type !== "folder" || removed.has(path)) return [];
      const inside = entries.slice(0, end).filter((one) => one.changes.some((change) => isWithin(path, change.path)));
      return [{ change: { path, before: after, after: before }, with: new Set(inside.map(({ id }) => id)) }];
    });
  });
}
