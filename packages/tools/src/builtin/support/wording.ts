import { grouped } from "@haft/core/tool";
/** `1 file`, `2 files`, with thousands separated. */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${grouped(amount)} ${amount === 1 ? one : many}`;
}

/** The beginning of a text as one line, for titles. */
export function oneLine(text: string, limit = 80): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
