import { HaftError } from "@haft/core/tool";
import { applyChanges, partsOf } from "../apply/apply.ts";
import { fromBlobs } from "../apply/restore.ts";
import { type BeforeImages, beginKeeping } from "../before-images.ts";
import { curedBy } from "../hints.ts";
import { equal, holds, type Image, isForeign, statOf } from "../image/image.ts";
import { readable } from "../image/raw-path.ts";
import { repositoryOf } from "../image/repository.ts";
import type { Ledger } from "../ledger.ts";
import { attributesOf, hasDetails, withPresentAttributes } from "../store/details.ts";
import { lossesIn } from "../store/loss.ts";
import { type Change, type Entry, isDirect, type Loss, newId } from "../store/record.ts";
import { type Conflict, type Plan, planOf, type Step } from "./plan.ts";
import { watchNames } from "./same-file.ts";
import { selectEntries, selectUndone, type UndoScope } from "./select.ts";

/** The scope of an undo, and how to treat paths that others have changed since. */
export interface UndoOptions extends UndoScope {
  /** Undo the rest if others changed some paths; those stay as they are. */
  readonly force?: boolean;
  /** Called from time to time if there are many paths. */
  readonly onProgress?: (done: number, paths: number) => void;
}

/** A call whose changes were undone. */
export interface UndoneCall {
  readonly id: string;
  readonly tool: string;
  readonly session: string;
  /** The changes were seen during these background jobs; their author is unknown. */
  readonly jobs?: readonly string[];
  /** Its command ran in the workspace itself. The changes were seen while it ran; their author is unknown. */
  readonly isDirect?: true;
}

/** The calls of a plan. */
export const callsOf = ({ steps }: Plan): readonly UndoneCall[] =>
  distinct(
    steps.map(({ entry }) => {
      const { call: id, tool, session, jobs } = entry;
      return { id, tool, session, ...(jobs ? { jobs } : {}), ...(isDirect(entry) ? { isDirect: true as const } : {}) };
    }),
  );

/** The result of an undo or redo. */
export interface Undone {
  readonly kind: "undo" | "redo";
  readonly calls: readonly UndoneCall[];
  /** Every changed path with its state before and after, also if it is not the wanted state. */
  readonly changed: readonly Change[];
  /** Paths left alone because others had changed them. */
  readonly kept: readonly Conflict[];
  /** Changes that could not be undone, with the reason. */
  readonly losses: readonly Loss[];
}

/** The plan of an undo. Changes nothing. */
export function planUndo(ledger: Ledger, scope: UndoScope): Plan {
  const history = ledger.history();
  return planOf("undo", selectEntries(history, scope), history);
}

/** The plan of a redo. Changes nothing. */
export function planRedo(ledger: Ledger, scope: UndoScope): Plan {
  const history = ledger.history();
  return planOf("redo", selectUndone(history, scope), history);
}

/**
 * Carries out a plan. Journals every entry, so that the plan can be undone and survives a kill.
 *
 * @throws HaftError `conflict` when a path does not hold what the journal left there; nothing is changed then, unless
 * `force` leaves those paths out; `execution_failed` when no path could be changed.
 */
export async function carryOut(
  ledger: Ledger,
  plan: Plan,
  { force = false, onProgress }: UndoOptions = {},
): Promise<Undone> {
  if (plan.conflicts.length > 0 && !force) throw conflictError(plan);
  const group = newId();
  const changed: Change[] = [];
  const failed: Loss[] = [];
  const names = watchNames();
  const { steps, kept } = withoutTornRepositories(plan);
  const paths = steps.reduce((sum, { changes }) => sum + changes.length, 0);
  let done = 0;
  for (const step of steps) {
    const result = await takeBack(ledger, plan.kind, step, group, (own) =>
      onProgress?.(Math.min(done + own, paths), paths),
    );
    done += step.changes.length;
    changed.push(...result.changed, ...result.made);
    names.made(result.changed);
    failed.push(...result.failed);
  }
  if (changed.length === 0 && failed.length > 0) throw nothingDone(plan, failed);
  const without = new Set([...failed, ...kept].map(({ path }) => path));
  const net = netOf(changed);
  const after = [...names.losses(), ...ownerLosses(net)].filter(({ path }) => !without.has(path));
  return { kind: plan.kind, calls: callsOf(plan), changed: net, kept, losses: [...plan.losses, ...failed, ...after] };
}

/** If one of a repository's own files is left alone, all of them are: restoring only some would break the repository. */
function withoutTornRepositories({ steps, conflicts }: Plan): { steps: readonly Step[]; kept: readonly Conflict[] } {
  const torn = new Set(conflicts.flatMap(({ path }) => repositoryOf(path) ?? []));
  const isTorn = ({ path }: Change): boolean => torn.has(repositoryOf(path) ?? "");
  const spared = steps.flatMap(({ entry, changes }) =>
    changes
      .filter(isTorn)
      .map(({ path }) => ({ path, call: entry.call, why: "it belongs to a path that is left alone" })),
  );
  return {
    steps: steps.map((step) => ({ ...step, changes: step.changes.filter((change) => !isTorn(change)) })),
    kept: [...conflicts, ...new Map(spared.map((one) => [one.path, one])).values()],
  };
}

/** A file of another user is written in place: a new one would belong to this user. */
function inPlaceIfForeign(change: Change): Change {
  const { path, before, after } = change;
  if (before.type !== "file" || after.type !== "file" || after.owner === undefined) return change;
  const found = statOf(path);
  return isForeign(found) && Number(found?.uid) === after.owner[0] ? { ...change, shared: true } : change;
}

/** Paths that did not get their owner back, because only root can give files away. */
function ownerLosses(changes: readonly Change[]): readonly Loss[] {
  if (process.geteuid?.() === 0) return [];
  return changes.flatMap(({ path, after }) => {
    const found = "owner" in after && after.owner ? statOf(path) : undefined;
    if (!found || !("owner" in after) || Number(found.uid) === after.owner?.[0]) return [];
    return [{ path, why: `Its owner was user ${after.owner?.[0]}; only root can give it back to that user.` }];
  });
}

/** Each path once: its first and its last state. */
function netOf(changes: readonly Change[]): readonly Change[] {
  const byPath = Map.groupBy(changes, ({ path }) => path);
  return [...byPath.values()]
    .map((all): Change => ({ ...all[0]!, after: all.at(-1)!.after }))
    .filter(({ before, after }) => !equal(before, after));
}

async function takeBack(
  ledger: Ledger,
  kind: Plan["kind"],
  { entry, changes, left = new Set() }: Step,
  group: string,
  onProgress: (steps: number) => void,
) {
  const id = newId();
  const keeping = beginKeeping(ledger);
  // The kept file has no attributes yet; those of the entry tell whether to look for them.
  const known = changes.map((change): Change => ({ ...change, before: keepNow(keeping, change) }));
  const now = withPresentAttributes(known);
  keeping.seal();
  // A redo could not restore what cannot be kept now, so it is left alone.
  const lost = lossesIn(now);
  const kept = now.filter(({ path }) => !lost.some((loss) => loss.path === path)).map(inPlaceIfForeign);
  const { session, call, tool, turn } = entry;
  ledger.intend({ kind, session, call, tool, turn, group, of: [entry.id], changes: kept }, id);
  const refused = await applyChanges(kept, {
    ...fromBlobs(ledger, id),
    onProgress,
    refuses: ({ before, after, path }) =>
      holds(path, before) || holds(path, after) ? undefined : "It changed at the same moment.",
  });
  const { losses, made } = partsOf(refused, kept);
  const failed = [...lost, ...losses];
  const without = new Set(failed.map(({ path }) => path));
  const changed = kept.filter(({ path }) => !without.has(path));
  // Nothing could be undone, so the entry remains in force.
  if (changed.length + made.length === 0 && changes.length + left.size > 0) ledger.drop(id);
  else {
    if (kind === "undo") standOn(ledger, entry, new Set([...without, ...left]), made);
    ledger.done(id, [...changed, ...made]);
  }
  return { changed, failed, made };
}

/** Changes that could not be undone (a full disk) remain in force as a new entry, so that the next undo finds them. */
function standOn(ledger: Ledger, entry: Entry, failed: ReadonlySet<string>, made: readonly Change[]): void {
  const { session, call, tool, turn, changes } = entry;
  const now = new Map(made.map(({ path, after }) => [path, after]));
  const rest = changes
    .filter(({ path }) => failed.has(path))
    .map((change): Change => ({ ...change, after: now.get(change.path) ?? change.after }));
  if (rest.length > 0) ledger.record({ kind: "write", session, call, tool, turn, changes: rest });
}

function keepNow(keeping: BeforeImages, { path, before }: Change): Image {
  if (before.type === "tree") return keeping.keepTree(path);
  const attributes = attributesOf(before);
  const kept = keeping.keep(path);
  const now = attributes && hasDetails(kept) ? ({ ...kept, attributes } as Image) : kept;
  if (now.type !== "file" || before.type !== "file" || before.linkOf === undefined) return now;
  return { ...now, linkOf: before.linkOf };
}

/** Nothing was undone, so reporting success would be wrong. */
function nothingDone({ kind }: Plan, losses: readonly Loss[]): HaftError {
  return new HaftError({
    code: "execution_failed",
    message: [`Nothing was ${kind === "undo" ? "undone" : "redone"}:`, ...listed(losses)].join("\n"),
    hint: "No file was changed. Remove the cause, then try again.",
    details: { losses },
  });
}

function listed(found: readonly Pick<Conflict, "path" | "why">[]): readonly string[] {
  const shown = found.slice(0, 10).map(({ path, why }) => `- ${readable(path)}: ${why}`);
  return found.length > shown.length ? [...shown, `- and ${found.length - shown.length} more`] : shown;
}

function conflictError({ conflicts, kind }: Plan): HaftError {
  const count = conflicts.length === 1 ? "One path does" : `${conflicts.length} paths do`;
  return new HaftError({
    code: "conflict",
    message: [`Nothing was changed. ${count} not match the journal:`, ...listed(conflicts)].join("\n"),
    hint: `With force, the rest is ${kind === "undo" ? "undone" : "redone"}, and these stay as they are.`,
    details: curedBy("force", { kind, conflicts }),
  });
}

function distinct(calls: readonly UndoneCall[]): readonly UndoneCall[] {
  const seen = new Map<string, UndoneCall>();
  for (const call of calls) {
    const key = `${call.session}/${call.id}`;
    seen.set(key, { ...seen.get(key), ...call });
  }
  return [...seen.values()];
}
