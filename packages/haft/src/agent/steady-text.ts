/** Patterns for text that differs between two equal runs. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b/g, "<date>"],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} +\d+ \d\d:\d\d:\d\d(?: [\w+-]+)? \d{4}/g, "<date>"],
  // Dates in the format of `ls -l`, and seconds since 1970, with or without fractions.
  [/\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} +(?:\d\d:\d\d|\d{4})\b/g, "<date>"],
  [/\b(?:1[6-9]|20)\d{8}(?:\.?\d{3}|\.?\d{6}|\.?\d{9})?\b/g, "<time>"],
  [/\b\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?\b/g, "<time>"],
  [/\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|sec|seconds|min|minutes)\b/g, "<duration>"],
  [/\b(process|pid|PID) \d+\b/g, "$1 <number>"],
  [/\/(?:tmp|var\/tmp|var\/folders)\/[^\s"'`:,;)\]]+/g, "<temporary>"],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, "<id>"],
  [/\b\d{8}-\d{6}-[0-9a-z]{4}\b/g, "<id>"],
  [/\b[0-9a-z]{8}-[0-9a-f]{10}\b/g, "<id>"],
  // Last: parts of ids look like one.
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g, "<hash>"],
];

/** A text without times, durations, process ids, names of temporary files and hashes, for comparing two runs. */
export const steadyText = (text: string): string =>
  VOLATILE.reduce((steady, [pattern, word]) => steady.replace(pattern, word), text);

/** The first line that differs between two texts, from each of them; `undefined` if none does. */
export function firstDifference(
  recorded: string,
  replayed: string,
): { readonly line: number; readonly recorded: string; readonly replayed: string } | undefined {
  const [old, now] = [steadyText(recorded).split("\n"), steadyText(replayed).split("\n")];
  const index = Array.from({ length: Math.max(old.length, now.length) }).findIndex(
    (_, line) => old[line] !== now[line],
  );
  if (index < 0) return undefined;
  const [before, after] = [recorded.split("\n"), replayed.split("\n")];
  return { line: index + 1, recorded: before[index] ?? "", replayed: after[index] ?? "" };
}
