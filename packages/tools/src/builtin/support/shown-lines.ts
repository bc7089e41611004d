import type { Files, LineRange, LineWindow } from "@haft/core/tool";
import { splitLines } from "@haft/host";

/** Records which lines of a file the model sees: the lines of a window that are not cut. */
export async function showLines(files: Files, path: string, window: LineWindow): Promise<void> {
  const { hash, total, damaged } = window;
  // Without the end of the file, its content is unknown. Invalid bytes differ from what is shown of them.
  if (hash === undefined || damaged) return;
  await files.show(path, { hash, lines: uncut(window), ...(total === undefined ? {} : { total }) });
}

function uncut({ lines, first, cut }: LineWindow): LineRange[] {
  const ranges: LineRange[] = [];
  let from = first;
  for (const line of [...cut, first + lines.length]) {
    if (line > from) ranges.push([from, line - 1]);
    from = line + 1;
  }
  return ranges;
}

/** A file's content; with text if its lines can be tracked through a change. */
interface Content {
  readonly hash: string;
  readonly text?: string;
}

/**
 * Carries the model's knowledge through a change that it made: known old lines are known at their new place. The model
 * knows all lines between the equal beginning and the equal end if it knew all old lines there.
 */
export async function showChanged(
  files: Files,
  path: string,
  before: Content,
  after: Content,
  from = path,
): Promise<void> {
  const seen = await files.seen(from);
  const known = seen?.hash === before.hash ? seen : undefined;
  if (known?.whole) return files.show(path, { hash: after.hash });
  const { hash } = after;
  if (!known?.lines?.length) return files.show(path, { hash, lines: [] });
  if (before.hash === hash) return files.show(path, { hash, lines: known.lines });
  if (before.text === undefined || after.text === undefined) return files.show(path, { hash, lines: [] });
  const now = splitLines(after.text);
  return files.show(path, {
    hash,
    lines: linesAfter(known.lines, splitLines(before.text), now),
    total: now.length,
  });
}

/** Maps known lines of a text to lines of the changed text. */
export function linesAfter(known: readonly LineRange[], old: readonly string[], now: readonly string[]): LineRange[] {
  const least = Math.min(old.length, now.length);
  let head = 0;
  while (head < least && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < least - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const oldTail = old.length - tail;
  const shift = now.length - old.length;
  const knowsMiddle = known.some(([first, last]) => first <= head + 1 && last >= oldTail);
  const ranges = known.flatMap(([first, last]): LineRange[] => [
    [first, Math.min(last, head)],
    [Math.max(first, oldTail + 1) + shift, last + shift],
  ]);
  if (knowsMiddle) ranges.push([head + 1, now.length - tail]);
  return ranges.filter(([first, last]) => first <= last).sort((a, b) => a[0] - b[0]);
}
