import { diffArrays } from "diff";

/** Longer files are not merged, because comparing them takes too long. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Most differing lines of one side. */
const MOST_EDITS = 20_000;

/**
 * Merges two versions of a text with a common base, line by line. Bytes are kept as they are. `undefined`: both sides
 * changed the same or neighbouring lines in different ways, or one of them is not text.
 */
export function mergeLines(base: Buffer, ours: Buffer, theirs: Buffer): Buffer | undefined {
  if ([base, ours, theirs].some((bytes) => bytes.length > MOST_BYTES || bytes.includes(0))) return undefined;
  const lines = linesOf(base);
  const left = hunksOf(lines, linesOf(ours));
  const right = left && hunksOf(lines, linesOf(theirs));
  if (!left || !right) return undefined;
  const merged: string[] = [];
  let at = 0;
  for (let hunk = next(left, right); hunk; hunk = next(left, right)) {
    if (hunk === "conflict") return undefined;
    merged.push(...lines.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return Buffer.from([...merged, ...lines.slice(at)].join(""), "latin1");
}

/** The lines of the base from `from` up to `to`, and what stands there instead. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** With their line ends. Every byte is one character. */
const linesOf = (bytes: Buffer): string[] => bytes.toString("latin1").split(/(?<=\n)/);

function hunksOf(base: string[], other: string[]): Hunk[] | undefined {
  const parts = diffArrays(base, other, { maxEditLength: MOST_EDITS });
  if (!parts) return undefined;
  const hunks: Hunk[] = [];
  let at = 0;
  for (const { added, removed, value } of parts) {
    const last = hunks.at(-1);
    const isNext = last?.to === at && (added || removed) ? hunks.pop() : undefined;
    const to = added ? at : at + value.length;
    if (added || removed)
      hunks.push({
        from: isNext?.from ?? at,
        to,
        lines: [...(isNext?.lines ?? []), ...(added ? value : [])],
      });
    at = to;
  }
  return hunks;
}

/** Takes the next hunk off both lists. */
function next(left: Hunk[], right: Hunk[]): Hunk | "conflict" | undefined {
  const [a, b] = [left[0], right[0]];
  if (!a || !b) return left.shift() ?? right.shift();
  if (a.to < b.from) return left.shift();
  if (b.to < a.from) return right.shift();
  if (a.from !== b.from || a.to !== b.to || a.lines.join("") !== b.lines.join("")) return "conflict";
  right.shift();
  return left.shift();
}
