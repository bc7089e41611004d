/** The beginning of a text as one line, for titles. */
export function oneLine(text: string, limit = 80): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
