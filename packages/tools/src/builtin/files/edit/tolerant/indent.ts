/** The indentation of a line of old_string and of the matching line of the file. */
export interface IndentPair {
  readonly old: string;
  readonly file: string;
}

/** The white space at the beginning of a line. */
export const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";

/** Turns the indentation of a new line into that of the file. */
type Reindent = (indent: string, isFirst: boolean) => string;

/**
 * Whether the file's indentation is a function of that of old_string: the block was only shifted. Otherwise it was
 * indented unevenly.
 */
export function isShift(pairs: readonly IndentPair[]): boolean {
  const known = new Map<string, string>();
  for (const { old, file } of withoutBareStart(pairs)) {
    if ((known.get(old) ?? file) !== file) return false;
    known.set(old, file);
  }
  return true;
}

/**
 * Learns from the matched lines how the file is indented. Indentation that old_string has is copied from the file.
 * Deeper or flatter indentation is derived from its nearest relative, in the file's kind of white space.
 */
export function reindenter(pairs: readonly IndentPair[], newIndents: readonly string[]): Reindent {
  const rest = withoutBareStart(pairs);
  const first = pairs[0];
  const isBare = rest.length < pairs.length;
  // If later lines of the new text are flatter than the file's first line, they count from zero, as its own first line.
  const countsFromZero = isBare && newIndents.slice(1).some((indent) => indent.length < (first?.file.length ?? 0));
  const known = new Map<string, string>();
  const learnt = countsFromZero && first ? [first] : rest;
  for (const { old, file } of learnt) if (!known.has(old)) known.set(old, file);
  const convert = converter(learnt);
  return (indent, isFirst) => {
    if (isFirst && first && isBare) return first.file + convert(indent.slice(first.old.length));
    return known.get(indent) ?? fromRelative(indent, known, convert);
  };
}

/** A passage copied from the middle of its first line has lost the indentation of that line only. */
function withoutBareStart(pairs: readonly IndentPair[]): readonly IndentPair[] {
  const [first, ...rest] = pairs;
  const isBare =
    first !== undefined && first.old === "" && first.file !== "" && rest.some(({ old, file }) => old === file);
  return isBare ? rest : pairs;
}

function fromRelative(indent: string, known: ReadonlyMap<string, string>, convert: (white: string) => string): string {
  let above: string | undefined;
  let below: string | undefined;
  for (const old of known.keys()) {
    if (indent.startsWith(old) && old.length > (above?.length ?? -1)) above = old;
    if (old.startsWith(indent) && old.length < (below?.length ?? Number.POSITIVE_INFINITY)) below = old;
  }
  if (above !== undefined) return (known.get(above) ?? "") + convert(indent.slice(above.length));
  if (below === undefined) return convert(indent);
  const file = known.get(below) ?? "";
  const surplus = convert(below.slice(indent.length));
  return file.slice(0, Math.max(file.length - surplus.length, 0));
}

/** Converts the model's white space to the file's: tabs for spaces or the reverse, or a wider step. */
function converter(pairs: readonly IndentPair[]): (white: string) => string {
  const step = stepOf(pairs);
  if (!step) return (white) => white;
  return (white) => {
    const count = Math.round(white.length / step.old);
    return step.file.repeat(count);
  };
}

interface Step {
  /** Characters of one level in old_string. */
  readonly old: number;
  /** One level in the file. */
  readonly file: string;
}

/** The smallest difference between two lines with different indentation, in both texts. */
function stepOf(pairs: readonly IndentPair[]): Step | undefined {
  if (pairs.every(({ old, file }) => old === file)) return undefined;
  const levels = pairs.toSorted((a, b) => a.old.length - b.old.length);
  const steps = levels.flatMap((pair, index): Step[] => {
    const below = levels[index - 1];
    if (below === undefined || pair.old.length === below.old.length || !pair.file.startsWith(below.file)) return [];
    return [{ old: pair.old.length - below.old.length, file: pair.file.slice(below.file.length) }];
  });
  const smallest = steps.filter(({ file }) => file !== "").toSorted((a, b) => a.old - b.old)[0];
  if (smallest) return smallest.old === smallest.file.length && /^ +$/.test(smallest.file) ? undefined : smallest;
  // With only one level, compare its two spellings if they are of different kinds.
  const [only] = levels.filter(({ old, file }) => old !== "" && file !== "" && old[0] !== file[0]);
  if (!only) return undefined;
  return only.file[0] === "\t"
    ? { old: Math.max(Math.round(only.old.length / only.file.length), 1), file: "\t" }
    : { old: 1, file: " ".repeat(Math.max(Math.round(only.file.length / only.old.length), 1)) };
}
