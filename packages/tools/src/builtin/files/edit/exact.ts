import type { TextFile } from "@haft/core/tool";
import { lineNumbers, withLineFeeds } from "./plain-text.ts";
import type { StrategyName } from "./strategy-words.ts";
import type { Replacement } from "./wish.ts";

/** A passage of a text: offsets of its first character and of the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Exact matches of `wanted`, at most `most`. They may overlap, so that both readings of `aaa` as `aa` are found. */
export function exactPlaces(text: string, wanted: string, most: number): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && found.length < most; at = text.indexOf(wanted, at + 1))
    found.push({ start: at, end: at + wanted.length });
  return found;
}

/** Exact matches without overlaps, from the left: the places that a replacement of all would change. */
export function separatePlaces(text: string, wanted: string): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length))
    found.push({ start: at, end: at + wanted.length });
  return found;
}

/** A text after its replacements. */
export interface Replaced {
  readonly text: string;
  /** Line numbers where the replaced passages began. */
  readonly lines: readonly number[];
  readonly strategy: StrategyName;
}

/**
 * Replaces a text that stands in the file letter by letter, once or in all places. `undefined`: a file with other line
 * ends, no such place or several, or the same text as before. Then `replaceText` decides.
 */
export function replaceExactly(
  { text, eol }: Pick<TextFile, "text" | "eol">,
  { old_string, new_string, replace_all = false }: Replacement,
): Replaced | undefined {
  if (eol !== "\n" || text.includes("\r")) return undefined;
  const old = withLineFeeds(old_string);
  const next = withLineFeeds(new_string);
  const spans = replace_all ? separatePlaces(text, old) : exactPlaces(text, old, 2);
  if (spans.length === 0 || (spans.length > 1 && !replace_all) || old === next) return undefined;
  const starts = spans.map(({ start }) => start);
  return { text: spliced(text, spans, () => next), lines: lineNumbers(text, starts), strategy: "exact" };
}

/** A text with other passages in the place of some. */
export function spliced(text: string, spans: readonly Span[], replacement: (passage: string) => string): string {
  let whole = "";
  let from = 0;
  for (const { start, end } of spans) {
    whole += text.slice(from, start) + replacement(text.slice(start, end));
    from = end;
  }
  return whole + text.slice(from);
}
