/** A unified diff, indented, without its file names, which are shown above it. */
export const bodyOf = (diff: string): string =>
  diff
    .split("\n")
    .filter((line, index) => index > 3 || !/^(?:Index: |={20}|--- |\+\+\+ )/.test(line))
    .map((line) => `    ${line}`)
    .join("\n")
    .trimEnd();
