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

/** In a very short name every edit makes another name. */
function allowedEdits(length: number): number {
  if (length < 4) return Math.max(0, length - 2);
  return Math.max(2, Math.floor(length / 3));
}

/** Levenshtein distance, given up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return Math.min(row[b.length] ?? limit, limit);
}
