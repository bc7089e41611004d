import type { Display } from "@haft/core/tool";

/** A change of a text, for people and for programs. */
export interface TextDiff {
  readonly added: number;
  readonly removed: number;
  /** Unified diff with three lines of context. */
  readonly unified: string;
}

/** Longest time that is spent on a small diff; after it the changed middle is shown as one block. */
const MAX_MS = 300;

/** The difference of two texts, line by line. */
export async function diffTexts(path: string, before: string, after: string): Promise<TextDiff> {
  const { structuredPatch, formatPatch } = await import("diff");
  const exact = structuredPatch(path, path, before, after, "", "", { context: 3, timeout: MAX_MS });
  const patch = exact ?? { ...structuredPatch(path, path, "", "", "", ""), hunks: [oneHunk(before, after)] };
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    unified: formatPatch(patch),
  };
}

/** The same as a display value. */
export async function diffDisplay(path: string, before: string, after: string): Promise<Display> {
  return { kind: "diff", path, before, after, ...(await diffTexts(path, before, after)) };
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
