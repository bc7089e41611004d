import type { Effect, Files, LineRange } from "@haft/core/tool";

/** Maximum files of one command to look for in its output. */
const MAX_FILES = 8;
/** Maximum size of a file to look for. */
const MAX_BYTES = 1024 * 1024;
/** Maximum places tried for one line: a line that occurs more often says little about its origin. */
const MAX_PLACES = 20;

/**
 * A file that a command printed counts as read, as with Read. Only the output matters, not the command: passages of the
 * file that occur in it line by line, also with line numbers in front.
 */
export async function showPrinted(files: Files, effects: readonly Effect[], output: string): Promise<void> {
  const paths = new Set(effects.flatMap((effect) => (effect.do === "read" && !effect.tree ? [effect.path] : [])));
  if (output === "" || paths.size > MAX_FILES) return;
  for (const path of paths) await showOne(files, path, output).catch(() => undefined);
}

/** Ignores files that cannot be read, are not text or are too large. */
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

/** The passages of a file that occur in an output. The longest wins where a line could come from several places. */
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
/** Removes line numbers as `cat -n`, `nl`, `grep -n` and `rg -n` print them. */
const withoutNumber = (line: string): string => line.replace(/^ *\d+(?:\t|[:-])/, "");
