/** Compares names as people write them: case, `-` and `_` do not matter. */
export const looseName = (name: string): string => name.trim().toLowerCase().replaceAll(/[-_]/g, "");

/** The candidate that is nearest to a misspelt name, if any is near enough to be meant. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = looseName(name);
  let best: string | undefined;
  let bestDistance = allowedEdits(wanted.length) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, looseName(candidate), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** One typing error in a short name, one in three letters of a longer one: with more, it is another name. */
function allowedEdits(length: number): number {
  return length < 3 ? 0 : Math.max(1, Math.floor(length / 3));
}

/** Number of letters that are inserted, deleted, replaced or swapped with their neighbour; stops at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let lowest = 0;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : limit;
      next.push(Math.min(substitution, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    const least = Math.min(...next);
    // A row depends on the two rows before it, and a swap costs one.
    if (least >= limit && lowest + 1 >= limit) return limit;
    lowest = least;
    [before, row] = [row, next];
  }
  return Math.min(row[b.length] ?? limit, limit);
}
