import { type IndentPair, indentOf, isShift, reindenter } from "./indent.ts";
import { inFormOf, replacedLines } from "./letter-forms.ts";
import { lineScript } from "./line-script.ts";

/** A line and the line end after it, if any. */
interface Line {
  readonly text: string;
  readonly eol: string;
}

/** The replacement for a matched passage. */
interface Rebuilt {
  readonly text: string;
  /** Whether the passage was only shifted as a block. */
  readonly isShift: boolean;
}

/**
 * The new text for a passage of the file that matched old_string. Lines that old_string and new_string share keep the
 * file's bytes. New lines get the file's indentation and line ends. New lines that replace others also keep the file's
 * quotes, dashes and accents where these have not changed.
 *
 * @returns undefined when the lines of the passage do not pair with those of old_string: then it does not match.
 */
export function rebuild(passage: string, old: string, next: string, eol: string, exact: boolean): Rebuilt | undefined {
  const file = linesOf(passage, eol === "\r" ? /\r/g : /\r\n|\n/g);
  const [olds, news] = [linesOf(old), linesOf(next)];
  const pairs = pairLines(olds, file);
  if (!pairs) return undefined;
  const indents = indentPairs(olds, file, pairs);
  const reindent = reindenter(
    indents,
    news.filter(isFull).map((line) => indentOf(line.text)),
  );
  const firstFull = news.findIndex(isFull);
  const steps = lineScript(
    olds.map((line) => line.text),
    news.map((line) => line.text),
  );
  const replaced = replacedLines(steps, olds.length);
  /** A new line with the characters of the file, if it replaces a line. */
  const formed = (index: number, line: string): string => {
    const old = replaced.get(index) ?? -1;
    const there = file[pairs[old] ?? -1];
    return there ? inFormOf(there.text, olds[old]?.text ?? "", line) : line;
  };
  let text = "";
  let place = 0;
  let kept = -2;
  for (const step of steps) {
    const index = "keep" in step ? step.line : step.insert;
    const isEnded = news[index]?.eol !== "";
    const own = news[index]?.text ?? "";
    if (!("keep" in step)) {
      place = Math.max(place, pairs[step.before - 1] ?? 0);
      const line =
        exact || own.trim() === "" ? own : moved(formed(index, own), reindent(indentOf(own), index === firstFull));
      text += line + (isEnded ? eolNear(file, place, eol) : "");
      kept = -2;
      continue;
    }
    const pair = pairs[step.keep];
    if (pair === undefined) continue;
    // Blank lines of the file, missing in old_string, between two kept lines.
    if (kept === step.keep - 1) for (let gap = place + 1; gap < pair; gap++) text += whole(file[gap]);
    place = pair;
    kept = step.keep;
    const there = file[pair];
    text += (there?.text ?? "") + (isEnded ? there?.eol || eolNear(file, pair, eol) : "");
  }
  return { text, isShift: isShift(indents) };
}

const isFull = (line: Line | undefined): boolean => line !== undefined && line.text.trim() !== "";
const whole = (line: Line | undefined): string => (line ? line.text + line.eol : "");
const moved = (line: string, indent: string): string => indent + line.slice(indentOf(line).length);

/**
 * Splits into lines. A text that ends with a line end has no empty last line here, so that lines can be counted off.
 */
function linesOf(text: string, ends = /\n/g): Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (let found = ends.exec(text); found; found = ends.exec(text)) {
    lines.push({ text: text.slice(from, found.index), eol: found[0] });
    from = ends.lastIndex;
  }
  if (from < text.length) lines.push({ text: text.slice(from), eol: "" });
  return lines;
}

/** Maps each line of old_string to its line of the file: full lines in order, blank ones in between. */
function pairLines(olds: readonly Line[], file: readonly Line[]): (number | undefined)[] | undefined {
  if (olds.length === file.length && olds.every((line, index) => isFull(line) === isFull(file[index])))
    return olds.map((_, index) => index);
  const full = file.flatMap((line, index) => (isFull(line) ? [index] : []));
  if (olds.filter(isFull).length !== full.length) return undefined;
  let next = 0;
  let before = -1;
  return olds.map((line) => {
    if (isFull(line)) {
      before = full[next] ?? -1;
      next += 1;
      return before;
    }
    const blank = before + 1;
    if (blank >= (full[next] ?? file.length)) return undefined;
    before = blank;
    return blank;
  });
}

const indentPairs = (
  olds: readonly Line[],
  file: readonly Line[],
  pairs: readonly (number | undefined)[],
): IndentPair[] =>
  olds.flatMap((line, index) => {
    const other = file[pairs[index] ?? -1];
    return isFull(line) && other ? [{ old: indentOf(line.text), file: indentOf(other.text) }] : [];
  });

/** The line end used around a line of the passage, or that of the file if the passage has none. */
function eolNear(file: readonly Line[], place: number, eol: string): string {
  return file[place]?.eol || file[place - 1]?.eol || file.find((line) => line.eol !== "")?.eol || eol;
}
