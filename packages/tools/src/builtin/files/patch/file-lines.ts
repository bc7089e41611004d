/** A text as lines, each with its line end on disk. */
interface FileLines {
  readonly lines: readonly string[];
  /** The end of each line; only the last may be empty. */
  readonly ends: readonly string[];
  /** The most common line end. */
  readonly eol: string;
}

/** Splits a text; `\r\n`, `\n` and a lone `\r` all end a line. */
export function splitFile(text: string): FileLines {
  const lines: string[] = [];
  const ends: string[] = [];
  const counts = new Map<string, number>();
  let from = 0;
  for (const found of text.matchAll(/\r\n|\n|\r/g)) {
    const [end] = found;
    lines.push(text.slice(from, found.index));
    ends.push(end);
    counts.set(end, (counts.get(end) ?? 0) + 1);
    from = found.index + end.length;
  }
  if (from < text.length) {
    lines.push(text.slice(from));
    ends.push("");
  }
  const most = [...counts].sort((a, b) => b[1] - a[1])[0];
  return { lines, ends, eol: most?.[0] ?? "\n" };
}
