import { runInNewContext } from "node:vm";
import type { SearchQuery, SearchResult } from "@haft/core/tool";
import { toRegExp } from "./pattern.ts";

type Found = SearchResult["matches"][number];

/** Timeout in milliseconds for marking all lines of a page. Later lines stay unmarked, but are still results. */
const MAX_MS = 100;

/** Adds to each hit the matching parts of its line. Omits them for a pattern that JavaScript cannot parse. */
export function withRanges(result: SearchResult, query: SearchQuery): SearchResult {
  if (!result.matches.some(({ context }) => !context)) return result;
  try {
    const expression = toRegExp(query.pattern, query);
    const matches: Found[] = [];
    const mark = () => {
      for (const match of result.matches) matches.push(marked(match, expression));
    };
    if (isQuick(query.pattern)) mark();
    else runInNewContext("mark()", { mark }, { timeout: MAX_MS });
    return { ...result, matches };
  } catch {
    return result;
  }
}

function marked(match: Found, expression: RegExp): Found {
  if (match.context) return match;
  const ranges = [...match.text.matchAll(expression)]
    .filter(([text]) => text !== "")
    .map(({ 0: text, index }) => [index, index + text.length] as const);
  return ranges.length === 0 ? match : { ...match, ranges };
}

/** At most one repetition takes quadratic time in the line length, and lines are short. A timeout costs more than the search. */
const isQuick = (pattern: string): boolean => (pattern.match(/[*+{]/g) ?? []).length < 2;
