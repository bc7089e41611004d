/** The passage of a text that is most like one that is not in it. */
export interface Closest {
  /** Number of its first line. */
  readonly line: number;
  readonly says: string;
  /** The passage with line numbers. */
  readonly shown: string;
}

/** Most lines that are compared letter by letter. */
const MAX_COMPARED = 5000;
/** Characters of a line that are compared. */
const MAX_CHARS = 200;
/** Most lines that are shown. */
const MAX_SHOWN = 12;
/** Share of letter pairs that two lines must have in common to be called alike. */
const ALIKE = 0.5;

/**
 * Finds it in linear time: lines that are equal up to their white space vote for where the passage would begin. Where
 * no line is equal, the line that shares most letter pairs with the longest one that is looked for.
 */
export function closestLines(text: string, wanted: string): Closest | undefined {
  const lines = text.split("\n");
  const sought = trimBlankEdges(wanted.split("\n"));
  const voted = byVotes(lines, sought);
  const start = voted ?? byLikeness(lines, sought);
  if (start === undefined) return undefined;
  const length = Math.min(sought.length, MAX_SHOWN);
  const passage = lines.slice(start, start + length);
  const shown = passage.map((line, index) => `${String(start + index + 1).padStart(6)}\t${line.slice(0, MAX_CHARS)}`);
  return { line: start + 1, says: difference(passage, sought), shown: shown.join("\n") };
}

function trimBlankEdges(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first < 0 ? lines : lines.slice(first, last + 1);
}

function byVotes(lines: readonly string[], sought: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  for (const [index, line] of sought.entries()) {
    const key = squeeze(line);
    if (key !== "") places.set(key, [...(places.get(key) ?? []), index].slice(-20));
  }
  const votes = new Map<number, number>();
  for (const [index, line] of lines.entries())
    for (const place of places.get(squeeze(line)) ?? [])
      if (index >= place) votes.set(index - place, (votes.get(index - place) ?? 0) + squeeze(line).length);
  return highest(votes);
}

function byLikeness(lines: readonly string[], sought: readonly string[]): number | undefined {
  const longest = sought.reduce(
    (best, line, index) => (line.trim().length > (sought[best]?.trim().length ?? 0) ? index : best),
    0,
  );
  const pairs = letterPairs(sought[longest] ?? "");
  if (pairs.size === 0) return undefined;
  const scores = new Map<number, number>();
  for (const [index, line] of lines.slice(0, MAX_COMPARED).entries()) {
    const other = letterPairs(line);
    const shared = [...pairs].filter((pair) => other.has(pair)).length;
    const score = (2 * shared) / (pairs.size + other.size);
    if (score >= ALIKE) scores.set(Math.max(index - longest, 0), score);
  }
  return highest(scores);
}

function highest(scores: ReadonlyMap<number, number>): number | undefined {
  let best: number | undefined;
  for (const [key, score] of scores) if (best === undefined || score > (scores.get(best) ?? 0)) best = key;
  return best;
}

const squeeze = (line: string): string => line.replace(/\s+/g, " ").trim();

function letterPairs(line: string): Set<string> {
  const letters = line.replace(/\s+/g, "").slice(0, MAX_CHARS);
  return new Set(
    Array.from({ length: Math.max(letters.length - 1, 0) }, (_, index) => letters.slice(index, index + 2)),
  );
}

function difference(passage: readonly string[], sought: readonly string[]): string {
  if (
    passage.length === sought.length &&
    passage.every((line, index) => squeeze(line) === squeeze(sought[index] ?? ""))
  )
    return "These lines differ from it only in white space";
  return "The closest lines are";
}
