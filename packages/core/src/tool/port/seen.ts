/** First and last line of a passage, counted from 1. */
export type LineRange = readonly [first: number, last: number];

/** What the model of a session knows of a file: what it was shown, or wrote itself. */
export interface SeenFile {
  /** SHA-256 of the content that it knows, hex. */
  readonly hash: string;
  /** Whether it knows all of it. */
  readonly whole: boolean;
  /** The passages that it knows where that is not all: in order, none touching the next. */
  readonly lines?: readonly LineRange[];
}

/** What one result shows of a file. */
export interface FileView {
  /** SHA-256 of the file's content, hex. */
  readonly hash: string;
  /** The passages that are shown uncut. Absent: the whole file; empty: nothing of it, only that it has this content. */
  readonly lines?: readonly LineRange[];
  /** Lines in the file, where they are known: passages that together are all of them are the whole. */
  readonly total?: number;
}

/** What is known of a file after a further view of it. Another content means that what was known of the old one is worth nothing. */
export function seenAfter(before: SeenFile | undefined, { hash, lines, total }: FileView): SeenFile {
  const known = before?.hash === hash ? before : undefined;
  if (known?.whole || !lines) return { hash, whole: true };
  const all = joined([...(known?.lines ?? []), ...lines]);
  const [first] = all;
  const whole = total !== undefined && (total === 0 || (first !== undefined && first[0] <= 1 && first[1] >= total));
  return whole ? { hash, whole } : { hash, whole, lines: all };
}

function joined(ranges: readonly LineRange[]): LineRange[] {
  const result: LineRange[] = [];
  for (const range of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && range[0] <= last[1] + 1) result[result.length - 1] = [last[0], Math.max(last[1], range[1])];
    else result.push(range);
  }
  return result;
}
