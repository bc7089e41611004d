/** Maximum characters of a line to compare. */
const MAX_CHARS = 300;

/** The pairs of neighbouring letters of a line, without white space. Sorted, so that two lists compare in one pass. */
export function letterPairs(line: string): Uint32Array {
  const letters = line
    .slice(0, 2 * MAX_CHARS)
    .replace(/\s+/g, "")
    .slice(0, MAX_CHARS);
  const pairs = new Uint32Array(Math.max(letters.length - 1, 0));
  for (let at = 0; at < pairs.length; at++) pairs[at] = letters.charCodeAt(at) * 0x10000 + letters.charCodeAt(at + 1);
  return pairs.sort();
}

/** How many letter pairs two lines share. */
export function sharedPairs(a: Uint32Array, b: Uint32Array): number {
  let shared = 0;
  for (let left = 0, right = 0; left < a.length && right < b.length; ) {
    const [one = 0, other = 0] = [a[left], b[right]];
    if (one === other) {
      shared += 1;
      left += 1;
      right += 1;
    } else if (one < other) left += 1;
    else right += 1;
  }
  return shared;
}

/** From 0 (nothing in common) to 1 (equal but for white space). */
export function likeness(a: Uint32Array, b: Uint32Array): number {
  if (a.length + b.length === 0) return 1;
  return (2 * sharedPairs(a, b)) / (a.length + b.length);
}
