/** First and last line of a passage, counted from 1. */
export type LineRange = readonly [first: number, last: number];

/** The model's knowledge of a file in a session: passages that it was shown or wrote itself. */
export interface SeenFile {
  /** SHA-256 of the content that the model knows, hex. */
  readonly hash: string;
  /** Whether the model knows the whole file. */
  readonly whole: boolean;
  /** The known passages if the model does not know the whole file: in order, none adjacent to the next. */
  readonly lines?: readonly LineRange[];
}

/** The part of a file that one result shows. */
export interface FileView {
  /** SHA-256 of the file's content, hex. */
  readonly hash: string;
  /** The passages that are shown uncut. Absent: the whole file; empty: nothing of it, only that it has this content. */
  readonly lines?: readonly LineRange[];
  /** Number of lines in the file, if known: passages that together cover all lines count as the whole. */
  readonly total?: number;
}

/** The knowledge of a file after a further view of it. If the content differs, the old knowledge is dropped. */
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
