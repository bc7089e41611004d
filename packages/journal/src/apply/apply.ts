import type { BigIntStats } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { writeAttributes } from "@haft/host/files";
import { holds, type Image, isDetail, lookAt, statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Change, Loss } from "../store/record.ts";
import { flush } from "./flush.ts";
import { type Folders, openFolders } from "./folders.ts";
import { reasonOf } from "./reason.ts";
import { adjust, make, remove, type Step, setMode } from "./step.ts";
import type { Supply } from "./supply.ts";

/** Number of paths between two pauses for the event loop. */
const STRIDE = 500;

/** A change that failed. `left`: the state in which its own steps left the path, if that is neither the old nor the new one. */
export interface Failed extends Loss {
  readonly left?: Image;
}

/** Failed changes as losses, and the parts of them that were made. */
export const partsOf = (failed: readonly Failed[], changes: readonly Change[]) => {
  const left = new Map(failed.flatMap(({ path, left }) => (left ? [[path, left] as const] : [])));
  return {
    losses: failed.map(({ path, why }): Loss => ({ path, why })),
    made: changes.flatMap((change) => {
      const after = left.get(change.path);
      return after ? [{ ...change, after }] : [];
    }),
  };
};

/**
 * Gives every path its `after` state. Each path changes in one step; a path that cannot be changed is left as it is
 * and returned with the reason. The order: first all removals, the deepest first; then new entries, folders before
 * their content; then the folders' modes; then a flush of new contents to the disk.
 */
export async function applyChanges(changes: readonly Change[], supply: Supply): Promise<readonly Failed[]> {
  using folders = openFolders(supply.staging);
  const failed = new Map<string, string>();
  /** Failed paths whose own steps may have changed them already. */
  const halfway = new Set<string>();
  const names = namesDone();
  const upwards = [...changes].sort((a, b) => (a.path < b.path ? 1 : -1));
  const downwards = [...upwards].reverse();
  let done = 0;

  async function each(chosen: readonly Change[], step: (step: Step) => void): Promise<void> {
    for (const change of chosen) {
      if (failed.has(change.path)) continue;
      if (++done % STRIDE === 0) {
        supply.onProgress?.(done);
        await breathe();
      }
      const refused = attempt(change, step);
      if (refused !== undefined) failed.set(change.path, refused);
    }
  }

  function attempt(change: Change, step: (step: Step) => void): string | undefined {
    try {
      const place = folders.place(change.path);
      const seen = statOf(place.own);
      const refused = names.isOurs(change, seen) ? undefined : supply.refuses?.(change, place.own);
      if (refused === undefined)
        step({ change, place, seen, others: names.begin(change, seen), name: `${supply.tag}-${done}` });
      return refused;
    } catch (thrown) {
      if (step === adjust) halfway.add(change.path);
      return reasonOf(thrown);
    }
  }

  for (const { path, before, after } of changes)
    if (before.type === "lost" && after.type === "none") failed.set(path, `${before.why} So it was not removed.`);
  const closed = downwards.filter(({ before }) => before.type === "folder" && (before.mode & 0o700) !== 0o700);
  await each(closed, openUp);
  await each(upwards.filter(isRemoval), (step) => remove(step, supply));
  const exchanged = exchangeAll(
    downwards.filter((change) => isReplacement(change) && !failed.has(change.path)),
    supply,
  );
  for (const [path, why] of exchanged.failed) failed.set(path, why);
  const rest = downwards.filter((change) => isMaking(change) && !exchanged.done.has(change.path)).sort(byLinks);
  const makeAll = (chosen: readonly Change[]) => each(chosen, (step) => make(step, supply, folders));
  // Another mode changes all names of a file. So names that get a file of their own come before it, new names after it.
  await makeAll(rest.filter((change) => linkRank(change) < 2));
  await each(downwards.filter(isAdjustment), adjust);
  await makeAll(rest.filter((change) => linkRank(change) === 2));
  // A folder that could not be removed gets its mode back.
  for (const { path, before } of closed) if (failed.has(path)) setModeAt(folders, path, before);
  await each(
    upwards.filter(({ after }) => after.type === "folder"),
    adjust,
  );
  for (const { path, why } of giveAttributes(changes.filter(({ path }) => !failed.has(path)))) {
    failed.set(path, why);
    halfway.add(path);
  }
  flush(changes.filter(({ path }) => !failed.has(path)));
  const isBegun = (path: string) => halfway.has(path) || names.isChanged(statOf(path));
  return changes.flatMap(({ path, before }) => {
    const why = failed.get(path);
    return why === undefined ? [] : { path, why, ...(isBegun(path) && !holds(path, before) && leftAt(path)) };
  });
}

/** Nothing if it cannot be told, because a folder above was replaced. */
function leftAt(path: string): Pick<Failed, "left"> {
  try {
    return { left: lookAt(path) };
  } catch {
    return {};
  }
}

/** Replaces files by files. Checks each displaced file afterwards, when nobody can change it any more. */
function exchangeAll(ready: readonly Change[], { exchange, refuses, retire }: Supply) {
  const done = exchange?.(ready) ?? new Map<string, string>();
  const failed = new Map<string, string>();
  for (const change of ready) {
    const old = done.get(change.path);
    if (old === undefined) continue;
    const why = refuses?.(change, old);
    if (why === undefined) retire?.(change, old);
    else {
      failed.set(change.path, why);
      exchange?.([change]);
    }
  }
  return { done, failed };
}

/** Tracks the names that our own steps have changed. */
function namesDone() {
  const own = new Set<string | bigint>();
  const linked = new Map<string, string[]>();
  const isChanged = (seen?: BigIntStats): boolean => seen?.isFile() === true && own.has(seen.ino);
  return {
    /** Whether an own step has changed it before, perhaps under another name of the same file. */
    isOurs: ({ path }: Change, seen?: BigIntStats): boolean => own.has(path) || isChanged(seen),
    /** Whether a file was changed under one of its names. */
    isChanged,
    /** Returns other names of the wanted file: the one that the journal tells, and those that were linked to it before. */
    begin(change: Change, seen?: BigIntStats): readonly string[] {
      const { path, after } = change;
      own.add(path);
      if (seen?.isFile() && (change.shared || isAdjustment(change))) own.add(seen.ino);
      const first = linkOf(after);
      if (first === undefined) return [];
      const all = linked.get(first) ?? [first];
      linked.set(first, [...all, path]);
      return all;
    },
  };
}

/** Gives paths the attributes that are known. One program does it for all of them, because Node cannot. */
function giveAttributes(changes: readonly Change[]): readonly Loss[] {
  const wanted = changes.flatMap(({ path, after }) =>
    (after.type === "file" || after.type === "folder") && after.attributes
      ? [{ path: toSystem(path), attributes: after.attributes, own: path }]
      : [],
  );
  return [...writeAttributes(wanted)].map(([index, names]) => ({
    path: wanted[index]!.own,
    why:
      names.length === 0
        ? "Its ACLs and extended attributes could not be set, because Perl did not run."
        : `These attributes could not be set: ${names.join(", ")}.`,
  }));
}

function setModeAt(folders: Folders, path: string, image: Image): void {
  try {
    if (image.type === "folder") setMode(folders.place(path).own, image.mode);
  } catch {
    // It is gone, or no longer ours.
  }
}

/** Whether a path is removed without a replacement. A change of type replaces the old entry when the new one is made. */
const isRemoval = ({ before, after }: Change): boolean => before.type !== "none" && after.type === "none";

const isMaking = (change: Change): boolean =>
  change.after.type !== "none" &&
  !(change.after.type === "folder" && change.before.type === "folder") &&
  !isAdjustment(change);

const isReplacement = (change: Change): boolean =>
  change.before.type === "file" &&
  change.after.type === "file" &&
  change.after.linkOf === undefined &&
  !change.shared &&
  !isAdjustment(change);

/** Whether a file only gets another mode, owner or attributes. It stays the same file then, with all its names. */
const isAdjustment = (change: Change): boolean => isDetail(change) && !change.shared && !change.alone;

/** Writing in place changes all names of a file. So names that get a file of their own come first, and links come last. */
const byLinks = (a: Change, b: Change): number => linkRank(a) - linkRank(b);
const linkRank = ({ after, shared }: Change): number => (linkOf(after) !== undefined ? 2 : shared ? 1 : 0);
const linkOf = (image: Image): string | undefined => (image.type === "file" ? image.linkOf : undefined);

/** Grants the owner access: a folder without write permission could not lose its entries. */
function openUp({ change: { before }, place }: Step): void {
  if (before.type === "folder") setMode(place.own, before.mode | 0o700);
}
