/** A unified diff, indented, without its first two lines: the file names are shown above it. */
export const bodyOf = (diff: string): string =>
  diff
    .split("\n")
    .slice(2)
    .map((line) => `    ${line}`)
    .join("\n")
    .trimEnd();
