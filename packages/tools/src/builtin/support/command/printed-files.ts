import type { Effect, Files, LineRange } from "@haft/core/tool";

/** Most files of one command that are looked for in its output. */
const MAX_FILES = 8;
/** Largest file that is looked for. */
const MAX_BYTES = 1024 * 1024;
/** Places of one line that are tried: a line that stands in more of them says little about where it is from. */
const MAX_PLACES = 20;

/**
 * A file that a command printed has been read as well as by Read. What counts is what the output holds, whatever the
 * command was: passages that stand in it line by line, also with line numbers in front.
 */
export async function showPrinted(files: Files, effects: readonly Effect[], output: string): Promise<void> {
  const paths = new Set(effects.flatMap((effect) => (effect.do === "read" && !effect.tree ? [effect.path] : [])));
  if (output === "" || paths.size > MAX_FILES) return;
  for (const path of paths) await showOne(files, path, output).catch(() => undefined);
}

/** What cannot be read, is no text or is too large is not looked for. */
async function showOne(files: Files, path: string, output: string): Promise<void> {
  if ((await files.locate(path)).kind !== "file") return;
  const { text, hash } = await files.text(path, { maxBytes: MAX_BYTES });
  const lines = linesOf(text);
  const ranges = printedLines(lines, linesOf(output));
  if (ranges.length > 0) await files.show(path, { hash, lines: ranges, total: lines.length });
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The passages of a file that stand in an output, longest first where a line could be from several places. */
export function printedLines(file: readonly string[], output: readonly string[]): LineRange[] {
  const places = new Map<string, number[]>();
  for (const [index, line] of file.entries()) {
    const known = places.get(line);
    if (!known) places.set(line, [index]);
    else if (known.length < MAX_PLACES) known.push(index);
  }
  const ranges: LineRange[] = [];
  for (let at = 0; at < output.length; ) {
    const [start, length] = longestRun(file, output, at, places);
    if (length > 0) ranges.push([start + 1, start + length]);
    at += Math.max(length, 1);
  }
  return ranges;
}

function longestRun(
  file: readonly string[],
  output: readonly string[],
  at: number,
  places: ReadonlyMap<string, readonly number[]>,
): readonly [start: number, length: number] {
  let best: readonly [number, number] = [0, 0];
  for (const bare of [asIs, withoutNumber])
    for (const start of places.get(bare(output[at] ?? "")) ?? []) {
      let length = 1;
      while (start + length < file.length && at + length < output.length) {
        if (bare(output[at + length] ?? "") !== file[start + length]) break;
        length += 1;
      }
      if (length > best[1]) best = [start, length];
    }
  return best;
}

const asIs = (line: string): string => line;
/** As `cat -n`, `nl`, `grep -n` and `rg -n` print lines. */
const withoutNumber = (line: string): string => line.replace(/^ *\d+(?:\t|[:-])/, "");
