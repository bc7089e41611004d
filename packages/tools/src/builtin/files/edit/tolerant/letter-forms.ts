import { folded } from "../../../support/unicode.ts";
import type { LineStep } from "./line-script.ts";

const ODD = /[^\x20-\x7e\t]/;

/**
 * A line that replaces `old`. If the ends of `old` and `next` do not differ, it keeps the characters of the file: a
 * plain quote around another word does not ask for other quotes. `there` is the line of the file that matched `old`. If
 * more than the forms of characters differ, `next` stays unchanged.
 */
export function inFormOf(there: string, old: string, next: string): string {
  if (!ODD.test(there)) return next;
  const [file, was, now] = [there.trim(), old.trim(), next.trim()];
  const [fileEdges, wasEdges] = [edgesOf(file), edgesOf(was)];
  if (plainOf(file) !== plainOf(was)) return next;
  const room = Math.min(was.length, now.length);
  let head = 0;
  while (head < room && was[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < room - head && was.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  // Take only whole characters of the file: one of them may match several.
  const both = [...wasEdges].flatMap(([plain, at]) => {
    const place = fileEdges.get(plain);
    return place === undefined ? [] : [{ at, place }];
  });
  const begin = both.findLast(({ at }) => at <= head) ?? { at: 0, place: 0 };
  const end = both.find(({ at }) => at >= was.length - tail) ?? { at: was.length, place: file.length };
  const middle = now.slice(begin.at, now.length - (was.length - end.at));
  // A pair of quotes with one in each form would be worse than both in the other form.
  if (/["']/.test(middle)) return next;
  const lead = next.length - next.trimStart().length;
  const body = file.slice(0, begin.place) + middle + file.slice(end.place);
  return next.slice(0, lead) + body + next.slice(lead + now.length);
}

const plainOf = (text: string): string => Array.from(text, folded).join("");

/** Offsets where characters begin, and the end: in the plain text, and in the original text. */
function edgesOf(text: string): ReadonlyMap<number, number> {
  const edges = new Map<number, number>();
  let [plain, at] = [0, 0];
  for (const character of text) {
    edges.set(plain, at);
    plain += folded(character).length;
    at += character.length;
  }
  return edges.set(plain, at);
}

/**
 * Maps new lines to the old lines they replace, where a run of each has the same length. Line numbers of both texts.
 */
export function replacedLines(steps: readonly LineStep[], olds: number): ReadonlyMap<number, number> {
  const replaced = new Map<number, number>();
  let passed = 0;
  let inserted: number[] = [];
  const close = (next: number): void => {
    if (inserted.length === next - passed)
      for (const [index, line] of inserted.entries()) replaced.set(line, passed + index);
    inserted = [];
    passed = next + 1;
  };
  for (const step of steps) {
    if ("keep" in step) close(step.keep);
    else inserted.push(step.insert);
  }
  close(olds);
  return replaced;
}
