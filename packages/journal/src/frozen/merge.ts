import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalCall } from "@haft/core/executor";
import { isWithin } from "@haft/core/tool";
import { statOf } from "../image/image.ts";
import { namesIn } from "../image/tree.ts";
import type { Ledger } from "../ledger.ts";
import { type Change, type Loss, newId } from "../store/record.ts";
import { commitView, holdView, readView } from "../view/commit.ts";
import { discardView } from "../view/discard.ts";
import { claimView, type View } from "../view/mount.ts";
import { adoptHeld } from "./adopt-held.ts";
import { type Compared, type Copy, compare } from "./compare.ts";
import { dropFrozen, type Frozen } from "./freeze.ts";
import { layView, viewOf } from "./lay.ts";
import { withRepository } from "./repository.ts";

/** The result of a merge. Paths are absolute in the workspace. */
export interface Merged {
  readonly applied: readonly Change[];
  /** Files with changes of both sides, in different lines. */
  readonly combined: readonly string[];
  /** Changed on both sides: the workspace keeps its version, and the agent's is held. */
  readonly conflicts: readonly string[];
  /** The names under which the agent's versions are held. */
  readonly held: readonly string[];
  /** Some conflicts are worth a question: not all are in ignored folders, which programs fill. */
  readonly asks: boolean;
  /** Removed by the agent, but kept, because somebody changed them. */
  readonly kept: readonly string[];
  readonly failed: readonly Loss[];
  /** The branch with the agent's commits, if the repository has changed on both sides. */
  readonly branch?: string;
}

const NOTHING: Merged = { applied: [], combined: [], conflicts: [], held: [], asks: false, kept: [], failed: [] };

/** The view that brings the changes of a copy back, and the one with its conflicts. */
const mergeName = ({ id }: Frozen): string => `${id}-merge`;
const conflictName = ({ id }: Frozen): string => `${id}-conflict`;

/**
 * Brings an agent's changes back into the workspace, as one entry of the journal: a three-way merge for each file.
 * Overwrites nothing that anybody else changed meanwhile; such versions are held. Afterwards the copy is gone.
 */
export async function mergeFrozen(ledger: Ledger, frozen: Frozen, call: JournalCall): Promise<Merged> {
  const copy = { root: ledger.root, frozen };
  if (isGone(frozen)) {
    dropFrozen(frozen);
    return { ...NOTHING, failed: [{ path: ledger.root, why: "The agent's folder is gone, with all its changes." }] };
  }
  const since = nowIn(frozen.folder);
  const { compared, branch, damaged } = withRepository(copy, compare(copy), call);
  const held: string[] = [];
  const { conflicts, known, marks } = compared;
  if (conflicts.length > 0) {
    const view = viewOf(ledger, conflictName(frozen));
    layView(copy, view, { taken: conflicts, merged: new Map(), removed: [], known, marks, since });
    held.push(heldOnce(ledger, call, view, conflicts));
  }
  const committed = await commit(ledger, copy, compared, call, since);
  if (committed?.heldAs !== undefined) held.push(committed.heldAs);
  held.push(...adoptHeld(ledger, frozen));
  dropFrozen(frozen);
  const all = [...conflicts, ...(committed?.held ?? [])];
  return {
    applied: committed?.applied ?? [],
    combined: [...compared.merged.keys()],
    conflicts: all,
    held,
    asks: all.some((path) => ![...frozen.linked].some((folder) => isWithin(folder, path))),
    kept: compared.kept,
    failed: [
      ...(committed?.failed ?? []),
      ...(committed?.losses ?? []),
      ...(damaged === undefined
        ? []
        : [{ path: damaged, why: "The agent's repository is damaged or gone, so this one was not changed." }]),
    ],
    ...(branch === undefined ? {} : { branch }),
  };
}

/** Whether the agent has removed its folder, or everything in it: where it is a mount, it cannot go itself. */
const isGone = ({ root, first }: Frozen): boolean =>
  !existsSync(root) || (first.size > 0 && namesIn(root).every((name) => name.startsWith(".haft-")));

async function commit(ledger: Ledger, copy: Copy, compared: Compared, call: JournalCall, since: bigint) {
  const { taken, merged, removed } = compared;
  if (taken.length + merged.size + removed.length === 0) return undefined;
  const view = viewOf(ledger, mergeName(copy.frozen));
  layView(copy, view, { ...compared, since });
  // From here on, a killed process's merge is finished or held like that of a command.
  claimView(view, { ...call, writer: ledger.writer });
  try {
    return await commitView(ledger, call, readView(ledger, view));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const paths = [...taken, ...merged.keys(), ...removed];
    const heldAs = holdView(ledger, call, view, { reason: "failed" });
    return { applied: [], held: [], losses: [], heldAs, failed: paths.map((path): Loss => ({ path, why })) };
  }
}

/** Holds a view, or finds it held by a merge that was cut off. */
function heldOnce(ledger: Ledger, call: JournalCall, view: View, paths: readonly string[]): string {
  claimView(view, { ...call, writer: ledger.writer });
  return holdView(ledger, call, view, { reason: "conflict", paths });
}

/**
 * Holds the changes of a copy that a dead process has left. Its merge may have begun: then the journal finishes or holds
 * that. Returns the name under which they are held; `undefined` if there are none.
 */
export function holdFrozen(ledger: Ledger, frozen: Frozen): string | undefined {
  const { entries, held } = ledger.history();
  const views = [mergeName(frozen), conflictName(frozen)].map((name) => viewOf(ledger, name));
  const [merge] = views;
  const hasBegun = [...entries, ...held].some(({ view }) => view === merge?.folder);
  if (hasBegun || isGone(frozen)) return void dropFrozen(frozen);
  for (const { folder } of views) {
    for (const one of held.filter(({ view }) => view === folder)) ledger.settle(one.id);
    if (existsSync(folder)) discardView(folder);
  }
  const copy = { root: ledger.root, frozen };
  const { owner } = frozen;
  const { compared } = withRepository(copy, compare(copy), owner);
  const { taken, merged, removed, conflicts, known, marks } = compared;
  if (taken.length + merged.size + removed.length + conflicts.length === 0) return void dropFrozen(frozen);
  const view = viewOf(ledger, newId());
  const since = nowIn(frozen.folder);
  layView(copy, view, { taken: [...taken, ...conflicts], merged, removed, known, marks, since });
  claimView(view, { ...owner, writer: ledger.writer });
  const id = holdView(ledger, owner, view, { reason: "killed" });
  dropFrozen(frozen);
  return id;
}

/** The time now, on the clock of a folder's file system. */
function nowIn(folder: string): bigint {
  const mark = join(folder, "now");
  writeFileSync(mark, "");
  return statOf(mark)?.ctimeNs ?? 0n;
}
