import type { Files, LineRange, LineWindow } from "@haft/core/tool";

/** Says which lines of a file the model is shown: those of a window that are not cut. */
export async function showLines(files: Files, path: string, window: LineWindow): Promise<void> {
  const { hash, total, damaged } = window;
  // Where the end was not reached, nobody knows what content this is; damaged bytes are not what is shown of them.
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

/** After a change that the model wanted: who knew all of the old content knows all of the new. */
export async function showChanged(
  files: Files,
  path: string,
  before: string,
  after: string,
  from = path,
): Promise<void> {
  const seen = await files.seen(from);
  await files.show(path, seen?.whole && seen.hash === before ? { hash: after } : { hash: after, lines: [] });
}
