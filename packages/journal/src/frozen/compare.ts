import type { BigIntStats } from "node:fs";
import { parent } from "@haft/core/tool";
import { holds, type Image, lookAt, NONE, readWhole, same, statOf } from "../image/image.ts";
import { scan } from "../image/scan.ts";
import { markFor, type Trace, traceOf } from "../image/trace.ts";
import { namesIn } from "../image/tree.ts";
import { type Frozen, firstMark } from "./freeze.ts";
import { mergeLines } from "./merge-lines.ts";

/** An agent's changes in its copy, compared with the workspace. All paths are absolute in the workspace. */
export interface Compared {
  /** New or changed, and unchanged in the workspace since: as they are in the copy. Folders before their content. */
  readonly taken: readonly string[];
  /** Changed on both sides in different lines: the content with both changes. */
  readonly merged: ReadonlyMap<string, Buffer>;
  /** The topmost entries that the agent removed and nobody changed. */
  readonly removed: readonly string[];
  /** Changed on both sides. */
  readonly conflicts: readonly string[];
  /** Removed by the agent, and changed in the workspace. */
  readonly kept: readonly string[];
  /** Paths that the copy had at first. */
  readonly known: ReadonlySet<string>;
  /** Marks of the compared entries in the workspace. An entry without one was not there. */
  readonly marks: ReadonlyMap<string, string>;
}

export interface Copy {
  /** The workspace. */
  readonly root: string;
  readonly frozen: Frozen;
}

/** The path of the copy's version of a path of the workspace. */
export const inCopy = ({ root, frozen }: Copy, path: string): string => frozen.root + path.slice(root.length);
const inBase = ({ root, frozen }: Copy, path: string): string => frozen.base + path.slice(root.length);

/** Whether a path is in git's own folder, apart from its objects. */
export const isControl = ({ root }: Copy, path: string): boolean =>
  path.startsWith(`${root}/.git/`) && !path.startsWith(`${root}/.git/objects/`);

/** Compares a copy whose programs have ended with its base and the workspace. Changes nothing. */
export function compare(copy: Copy): Compared {
  const { root, frozen } = copy;
  const now = entriesOf(copy);
  const changed = [...now].filter(([path, trace]) => isChanged(copy, path, trace)).map(([path]) => path);
  const gone = [...frozen.first.keys()].filter((path) => !now.has(path) && !isObject(copy, path));
  const marks = new Map<string, string>();
  const look = (path: string): BigIntStats | undefined => {
    const found = statOf(path);
    if (found) marks.set(path, markFor(found));
    return found;
  };
  const { removed, kept } = judgeRemoved(copy, gone, look);
  const taken = new Set<string>();
  const merged = new Map<string, Buffer>();
  const conflicts = new Set<string>();
  // By length, so that a folder comes before its content.
  for (const path of changed.sort((a, b) => a.length - b.length)) {
    const verdict = conflicts.has(parent(path)) || isBlocked(path) ? "conflict" : judge(copy, path, removed, look);
    if (verdict === "take") taken.add(path);
    else if (verdict === "conflict") conflicts.add(path);
    else if (verdict !== "same") merged.set(path, verdict);
  }

  /** Whether a folder above is none in the workspace, and does not become one. */
  function isBlocked(path: string): boolean {
    for (let above = parent(path); above !== root && !taken.has(above); above = parent(above)) {
      const there = statOf(above);
      if (there && !there.isDirectory()) return true;
    }
    return false;
  }

  const isFolderInCopy = (path: string): boolean => statOf(inCopy(copy, path))?.isDirectory() === true;

  return {
    taken: [...taken],
    merged,
    // An entry that became something else takes all below it along.
    removed: [...removed].filter((path) => !removed.has(parent(path)) && isFolderInCopy(parent(path))),
    conflicts: [...conflicts].sort(),
    kept,
    marks,
    known: new Set([...taken, ...merged.keys(), ...conflicts].filter((path) => frozen.first.has(path))),
  };
}

/** Locks that killed programs left, and Haft's own unfinished writes, are nobody's work. */
const isLeftover = (copy: Copy, path: string): boolean =>
  (isControl(copy, path) && path.endsWith(".lock")) || /\/\.haft-[^/]*\.(tmp|old)$/.test(path);

function entriesOf(copy: Copy): ReadonlyMap<string, Trace> {
  const { root, frozen } = copy;
  const found = scan(frozen.root, { limit: Number.POSITIVE_INFINITY }).entries;
  const moved = [...found].map(([path, trace]) => [root + path.slice(frozen.root.length), trace] as const);
  return new Map(moved.filter(([path]) => !isLeftover(copy, path)));
}

const isChanged = ({ frozen }: Copy, path: string, trace: Trace): boolean =>
  frozen.first.get(path)?.own !== firstMark(trace);

/** Objects of git never change. A tidied copy says nothing about those of the workspace. */
const isObject = ({ root }: Copy, path: string): boolean => path.startsWith(`${root}/.git/objects/`);

/** The stat of an entry of the workspace, whose mark is noted. */
type Look = (path: string) => BigIntStats | undefined;

/** An entry is removed if nobody changed it, and a folder if nothing is left in it. */
function judgeRemoved(copy: Copy, gone: readonly string[], look: Look) {
  const removed = new Set<string>();
  const kept: string[] = [];
  // The deepest first.
  for (const path of [...gone].sort((a, b) => b.length - a.length)) {
    const there = look(path);
    if (!there) continue;
    if (there.isDirectory()) {
      if (namesIn(path).every((name) => removed.has(`${path}/${name}`))) removed.add(path);
    } else if (isUnchanged(copy, path)) removed.add(path);
    else kept.push(path);
  }
  return { removed, kept };
}

type Verdict = "take" | "same" | "conflict" | Buffer;

function judge(copy: Copy, path: string, removed: ReadonlySet<string>, look: Look): Verdict {
  const place = inCopy(copy, path);
  const [there, own] = [look(path), statOf(place)];
  const isNew = !copy.frozen.first.has(path);
  if (!there) return isNew || own?.isDirectory() ? "take" : "conflict";
  if (own?.isDirectory() && there.isDirectory()) return isNew && modeLike(path, place) ? "same" : "take";
  if (there.isDirectory())
    return namesIn(path).every((name) => removed.has(`${path}/${name}`)) && !isNew ? "take" : "conflict";
  // An index of git that only has fresh stats is the same.
  const isAlike = isControl(copy, path) && same(lookAt(place), lookAt(path));
  if (!isAlike && isUnchanged(copy, path)) return "take";
  const [theirs, ours] = [lookAt(place), lookAt(path)];
  if (same(theirs, ours)) return "same";
  // Nobody writes lines into git's own files.
  const both = isControl(copy, path) ? undefined : mergedText(copy, path, { ours, theirs });
  return both ?? "conflict";
}

const modeLike = (a: string, b: string): boolean => same(lookAt(a), lookAt(b));

/** Whether the workspace has what the copy had at first. */
function isUnchanged(copy: Copy, path: string): boolean {
  const first = copy.frozen.first.get(path);
  if (first === undefined) return statOf(path) === undefined;
  if (first.live === undefined) return holds(path, baseOf(copy, path));
  const trace = traceOf(path);
  return trace !== undefined && firstMark(trace) === first.live;
}

const baseOf = (copy: Copy, path: string): Image => (copy.frozen.first.has(path) ? lookAt(inBase(copy, path)) : NONE);

function mergedText(copy: Copy, path: string, { ours, theirs }: { ours: Image; theirs: Image }): Buffer | undefined {
  const base = copy.frozen.first.get(path)?.live === undefined ? baseOf(copy, path) : NONE;
  if (base.type !== "file" || ours.type !== "file" || theirs.type !== "file") return undefined;
  // Modes are not lines: only one side may have changed them.
  if (ours.mode !== theirs.mode && ours.mode !== base.mode) return undefined;
  const [before, mine, yours] = [inBase(copy, path), path, inCopy(copy, path)].map((file) => readWhole(file).bytes);
  return before && mine && yours ? mergeLines(before, mine, yours) : undefined;
}
