import type { Display } from "@haft/core/tool";

/** A change of a text, for people and for programs. */
interface TextDiff {
  readonly added: number;
  readonly removed: number;
  /** Unified diff with three lines of context. */
  readonly unified: string;
}

/** Timeout for a small diff; after it, the changed middle is shown as one block. */
const MAX_MS = 300;
/** Unchanged lines around a change. */
const CONTEXT = 3;

/** Computes the difference of two texts, line by line. */
export async function diffTexts(path: string, before: string, after: string): Promise<TextDiff> {
  const { structuredPatch, formatPatch } = await import("diff");
  const { line, old, now } = changedMiddle(before, after);
  const compare = (one: string, other: string) =>
    structuredPatch(path, path, one, other, "", "", { context: CONTEXT, timeout: MAX_MS });
  const found = compare(old, now);
  const hunks = (found?.hunks ?? [oneHunk(old, now)]).map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + line,
    newStart: hunk.newStart + line,
  }));
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((each) => each.startsWith("+")).length,
    removed: lines.filter((each) => each.startsWith("-")).length,
    unified: formatPatch({ ...(found ?? structuredPatch(path, path, "", "", "", "")), hunks }),
  };
}

/** The same as a display value. */
export async function diffDisplay(path: string, before: string, after: string): Promise<Display> {
  return { kind: "diff", path, before, after, ...(await diffTexts(path, before, after)) };
}

/**
 * The lines of two texts between their equal beginning and equal end, with the context that a diff shows. Most changes
 * are small, and comparing the rest line by line would be most of the work.
 */
function changedMiddle(before: string, after: string): { line: number; old: string; now: string } {
  const head = commonHead(before, after);
  const tail = commonTail(before, after, Math.min(before.length, after.length) - head);
  const from = linesBack(before, head, CONTEXT + 1);
  // If the equal end begins within a line, that line has changed.
  const toOld = linesOn(before, before.length - tail, CONTEXT + 1);
  const kept = before.length - toOld;
  let line = 0;
  for (let at = before.indexOf("\n"); at >= 0 && at < from; at = before.indexOf("\n", at + 1)) line += 1;
  return { line, old: before.slice(from, toOld), now: after.slice(from, after.length - kept) };
}

/** Characters compared at once: the runtime compares blocks many times faster than single characters. */
const BLOCK = 4096;

function commonHead(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at + BLOCK <= most && a.slice(at, at + BLOCK) === b.slice(at, at + BLOCK)) at += BLOCK;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

function commonTail(a: string, b: string, most: number): number {
  const same = (from: number, to: number) =>
    a.slice(a.length - to, a.length - from) === b.slice(b.length - to, b.length - from);
  let at = 0;
  while (at + BLOCK <= most && same(at, at + BLOCK)) at += BLOCK;
  while (at < most && same(at, at + 1)) at += 1;
  return at;
}

/** The start of the line that is `count` lines before the one at an offset. */
function linesBack(text: string, offset: number, count: number): number {
  let at = offset;
  for (let left = count; left >= 0 && at > 0; left--) at = text.lastIndexOf("\n", at - 1);
  return at <= 0 ? 0 : at + 1;
}

/** The end of the line that is `count` lines after the one at an offset. */
function linesOn(text: string, offset: number, count: number): number {
  let at = offset;
  for (let left = count; left >= 0; left--) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

/** Everything between the equal beginning and the equal end of two texts. */
function oneHunk(before: string, after: string) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  return {
    oldStart: head + 1,
    oldLines: removed.length,
    newStart: head + 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  };
}
