import { runInNewContext } from "node:vm";
import type { SearchQuery, SearchResult } from "@haft/core/tool";
import { toRegExp } from "./pattern.ts";

type Found = SearchResult["matches"][number];

/** Milliseconds that marking all lines of a page may take. What is not marked by then stays plain: it is found all the same. */
const MAX_MS = 100;

/** Says of each hit which parts of its line match. A pattern that JavaScript cannot read leaves them unsaid. */
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

/** One repetition at most takes time by the square of a line, and lines are short. A time limit costs more than the search. */
const isQuick = (pattern: string): boolean => (pattern.match(/[*+{]/g) ?? []).length < 2;
