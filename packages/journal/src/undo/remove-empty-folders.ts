import { isWithin } from "@haft/core/tool";
import type { Change, Entry, History, Loss } from "../store/record.ts";
import { stands } from "./select.ts";
import type { VirtualTree } from "./virtual.ts";

/**
 * Folders that are to be removed but are not empty yet. Each is removed with its last entry, in a later step of the
 * same plan or in a later undo.
 */
export interface EmptyFolders {
  /**
   * The tree already contains a step's changes. Returns them with only those folder removals that are possible now,
   * including waiting ones.
   */
  settle(entry: Entry, changes: readonly Change[]): readonly Change[];
  /** Folders that stay because of files that the journal does not know. */
  losses(): readonly Loss[];
}

export function emptyFolders(
  kind: "undo" | "redo",
  tree: VirtualTree,
  history: History,
  own: ReadonlySet<string>,
): EmptyFolders {
  const waiting = new Map<string, Waiting>();
  if (kind === "undo") for (const left of leftBehind(history)) waiting.set(left.change.path, left);
  /** The folders that this plan should remove. */
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
        .map((path) => ({ path, why: "It contains files that the journal does not know." }));
    },
  };
}

interface Waiting {
  readonly change: Change;
  /** Ids of the entries with which it may be removed. Absent: any. */
  readonly with?: ReadonlySet<string>;
}

const isFolderRemoval = ({ before, after }: Change): boolean => before.type === "folder" && after.type === "none";

const deepestFirst = (a: Waiting, b: Waiting): number => (a.change.path < b.change.path ? 1 : -1);

/** Folders of undone calls that still contained files of others. They are removed with the entries that they contained then. */
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
