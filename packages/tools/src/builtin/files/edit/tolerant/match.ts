import type { Span } from "../exact.ts";
import { type NormalForm, normalForm, type Tolerance } from "./normal-form.ts";

/** Minimum meaningful characters for a tolerant match; a shorter passage must match exactly. */
const LEAST_MEANING = 3;

/** Maximum places to look for when one is wanted: enough to list them. */
const MOST_PLACES = 100;

/**
 * Matches of `wanted` that ignore some differences. They cover whole words, and whole lines if `wanted` begins with
 * space. `all`: returns every place, without overlaps.
 */
export function tolerantPlaces(text: string, wanted: string, tolerance: Tolerance, all: boolean): Span[] {
  const sought = edgeless(normalForm(wanted, tolerance).text, tolerance);
  if (sought.replace(/\s/g, "").length < LEAST_MEANING) return [];
  const form = normalForm(text, tolerance);
  const found: Span[] = [];
  const startsLine = /^[ \t]/.test(wanted);
  for (let at = form.text.indexOf(sought); at >= 0 && (all || found.length < MOST_PLACES); ) {
    const span = spanOf(text, form, at, at + sought.length, startsLine);
    if (span) found.push(span);
    at = form.text.indexOf(sought, span && all ? at + sought.length : at + 1);
  }
  return found;
}

/** Whether `wanted` may match under a tolerance. A false result is certain. */
export function mayStand(text: string, wanted: string, tolerance: Tolerance): boolean {
  const sought = edgeless(normalForm(wanted, tolerance).text, tolerance);
  return normalForm(text, tolerance).text.includes(sought);
}

/** Blank lines at the edges of a passage are ignored if the tolerance ignores blank lines. */
const edgeless = (text: string, { blankLines }: Tolerance): string =>
  blankLines ? text.replace(/^\n+|\n+$/g, "") : text;

function spanOf(text: string, form: NormalForm, from: number, to: number, startsLine: boolean): Span | undefined {
  // One character of the text may produce several of the form: half of it does not match.
  if (from > 0 && form.start(from) === form.start(from - 1)) return undefined;
  if (to < form.text.length && form.start(to) === form.start(to - 1)) return undefined;
  const start = form.start(from);
  const end = form.end(to - 1);
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const isLine = text.slice(lineStart, start).trim() === "";
  if (isLine) return cutsWord(text, end) ? undefined : { start: lineStart, end };
  return startsLine || cutsWord(text, start) || cutsWord(text, end) ? undefined : { start, end };
}

/** Whether an offset is inside a word: a match that begins or ends there would match other words. */
const cutsWord = (text: string, at: number): boolean =>
  /[\p{L}\p{N}_]/u.test(text.slice(Math.max(at - 1, 0), at)) && /^[\p{L}\p{N}\p{M}_]/u.test(text.slice(at, at + 2));
