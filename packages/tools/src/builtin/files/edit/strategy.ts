import { namesHidden, withHidden } from "@haft/core/budget";
import { exactPlaces, type Span, separatePlaces } from "./exact.ts";
import type { StrategyName } from "./strategy-words.ts";
import { hasEscapes, unescaped } from "./tolerant/escapes.ts";
import { mayStand, tolerantPlaces } from "./tolerant/match.ts";
import type { Tolerance } from "./tolerant/normal-form.ts";
import { rebuild } from "./tolerant/rebuild.ts";

/** A place in the plain text and its replacement. The caller handles line ends. */
export interface Found {
  readonly strategy: StrategyName;
  readonly spans: readonly Span[];
  /** The texts as this strategy reads them. */
  readonly old: string;
  readonly next: string;
}

/** Maximum characters of a text for tolerant search; in longer texts, passages must match exactly. */
const TOLERANT_CHARS = 4_000_000;

const tolerances: readonly (readonly [StrategyName, Tolerance])[] = [
  ["trailing-space", {}],
  ["line-trim", { indentation: true }],
  ["whitespace", { indentation: true, runs: true }],
  ["unicode", { indentation: true, runs: true, unicode: true }],
];

/** All tolerances at once. If this finds nothing, none of them does, so most failures cost one search. */
const LOOSEST: Tolerance = { indentation: true, runs: true, unicode: true, blankLines: true };

/** Finds `old` in a plain text. `all`: returns every place, without overlaps. */
export function findPlaces(text: string, old: string, next: string, all: boolean): Found | undefined {
  const exact = all ? separatePlaces(text, old) : exactPlaces(text, old, 2);
  if (exact.length > 0) return { strategy: "exact", spans: exact, old, next };
  const hidden = withNumbers(text, old, next, all);
  if (hidden) return hidden;
  if (text.length > TOLERANT_CHARS || old.length > text.length * 2) return undefined;
  if (!mayStand(text, old, LOOSEST)) return throughEscapes(text, old, next, all);
  for (const [strategy, tolerance] of tolerances) {
    const spans = pairing(text, tolerantPlaces(text, old, tolerance, all), old, next);
    if (spans.length > 0) return { strategy: named(strategy, text, spans, old, next), spans, old, next };
  }
  return throughEscapes(text, old, next, all) ?? betweenAnchors(text, old, next, all);
}

/** The model sees hidden characters by their number, and names them so. */
function withNumbers(text: string, old: string, next: string, all: boolean): Found | undefined {
  if (!namesHidden(old)) return undefined;
  const [plainOld = old, plainNext = next] = withHidden(old, next);
  const spans = all ? separatePlaces(text, plainOld) : exactPlaces(text, plainOld, 2);
  return spans.length > 0 ? { strategy: "hidden", spans, old: plainOld, next: plainNext } : undefined;
}

function throughEscapes(text: string, old: string, next: string, all: boolean): Found | undefined {
  if (!hasEscapes(old)) return undefined;
  const [plainOld, plainNext] = unescaped(old, next);
  const spans = all ? separatePlaces(text, plainOld) : exactPlaces(text, plainOld, 2);
  return spans.length > 0 ? { strategy: "escapes", spans, old: plainOld, next: plainNext } : undefined;
}

/** The first and last line hold the passage. Every full line in between must match; blank lines may differ. */
function betweenAnchors(text: string, old: string, next: string, all: boolean): Found | undefined {
  const [bareOld, bareNext] = withoutEdges(old, next);
  const places = tolerantPlaces(text, bareOld, { indentation: true, blankLines: true }, all);
  const spans = pairing(text, places, bareOld, bareNext);
  return spans.length > 0 ? { strategy: "anchors", spans, old: bareOld, next: bareNext } : undefined;
}

/** Removes blank lines around old_string that the file lacks, and as many from the new text, if it has them. */
function withoutEdges(old: string, next: string): [old: string, next: string] {
  const head = /^(?:[ \t]*\n)*/.exec(old)?.[0] ?? "";
  const tail = /(?:\n[ \t]*)*$/.exec(old.slice(head.length))?.[0] ?? "";
  const bareNext = next.startsWith(head) ? next.slice(head.length) : next;
  return [old.slice(head.length, old.length - tail.length), withoutEnd(bareNext, tail)];
}

const withoutEnd = (text: string, end: string): string =>
  end !== "" && text.endsWith(end) ? text.slice(0, -end.length) : text;

/** Keeps only places whose lines pair one by one with those of old_string. */
const pairing = (text: string, spans: readonly Span[], old: string, next: string): Span[] =>
  spans.filter(({ start, end }) => rebuild(text.slice(start, end), old, next, "\n", false) !== undefined);

function named(strategy: StrategyName, text: string, spans: readonly Span[], old: string, next: string): StrategyName {
  if (strategy !== "line-trim") return strategy;
  const areShifts = spans.every(({ start, end }) => rebuild(text.slice(start, end), old, next, "\n", false)?.isShift);
  return areShifts ? "indentation" : strategy;
}
