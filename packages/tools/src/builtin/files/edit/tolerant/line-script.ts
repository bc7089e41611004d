/** One line of a new text: copied from the old one, or newly written. */
export type LineStep =
  | { readonly keep: number; readonly line: number }
  /** `before`: number of old lines passed before this line was written. */
  | { readonly insert: number; readonly before: number };

/** Maximum pairs of lines to compare. Beyond it, everything between the common edges counts as new. */
const MOST_PAIRS = 250_000;

/**
 * The shortest edit script from the old lines to the new: kept lines and inserted lines. Missing lines are deletions.
 */
export function lineScript(old: readonly string[], next: readonly string[]): LineStep[] {
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < next.length - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  const edge = (length: number, oldFrom: number, nextFrom: number): LineStep[] =>
    Array.from({ length }, (_, index) => ({ keep: oldFrom + index, line: nextFrom + index }));
  return [
    ...edge(head, 0, 0),
    ...middle(old.slice(head, old.length - tail), next.slice(head, next.length - tail), head),
    ...edge(tail, old.length - tail, next.length - tail),
  ];
}

function middle(old: readonly string[], next: readonly string[], shift: number): LineStep[] {
  if (old.length * next.length > MOST_PAIRS)
    return next.map((_, index) => ({ insert: index + shift, before: shift + old.length }));
  const width = next.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = next.length - 1; column >= 0; column--)
      common[row * width + column] =
        old[row] === next[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const steps: LineStep[] = [];
  let row = 0;
  for (let column = 0; column < next.length; ) {
    if (row < old.length && old[row] === next[column]) {
      steps.push({ keep: row + shift, line: column + shift });
      row += 1;
      column += 1;
    } else if (row < old.length && at(row + 1, column) >= at(row, column + 1)) row += 1;
    else {
      steps.push({ insert: column + shift, before: row + shift });
      column += 1;
    }
  }
  return steps;
}
