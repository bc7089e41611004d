import { fail } from "@haft/core/tool";

/** Pages of a document, from 1; without `last` the range goes to the end. */
export interface PageRange {
  readonly first: number;
  readonly last?: number;
}

/** Reads `3`, `2-5` or `7-`. */
export function parsePages(pages: string): PageRange {
  const found = /^\s*(\d{1,7})\s*(?:(-)\s*(\d{1,7})?\s*)?$/.exec(pages);
  const first = Number(found?.[1]);
  const last = found?.[2] === undefined ? first : found[3] === undefined ? undefined : Number(found[3]);
  if (!found || first < 1 || (last !== undefined && last < first))
    fail(
      "invalid_input",
      `"${pages}" is not a range of pages.`,
      'Write one page as "3", several as "1-5", the rest as "6-".',
    );
  return last === undefined ? { first } : { first, last };
}
