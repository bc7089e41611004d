import type { Sources } from "./sources.ts";

/** Row id → the folders whose tests hold it, sorted. A test names its rows at the beginning of its title. */
export function rowIds(tests: Sources): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const [path, text] of tests)
    for (const [, named = ""] of text.matchAll(/["'`]((?:[A-Z]\d{2} )+)/g))
      for (const id of named.trim().split(" ")) found.set(id, (found.get(id) ?? new Set()).add(roomOf(path)));
  return new Map([...found].sort().map(([id, rooms]) => [id, [...rooms].sort()]));
}

/** `packages/core/src/policy/rule/x.test.ts` is a test of core/policy, `packages/host/src/x.test.ts` one of host. */
const roomOf = (path: string): string => {
  const [, ...names] = /^packages\/([\w-]+)\/src\/(?:(\w[\w-]*)\/)?/.exec(path) ?? [];
  return names.filter((name) => name !== undefined).join("/") || "test";
};

/** A row of the table: what it is, and the folders whose tests hold it. */
export interface Row {
  readonly words: string;
  readonly rooms: readonly string[];
}

/** The rows of a page's table. */
export const readTable = (page: string): ReadonlyMap<string, Row> =>
  new Map(
    [...page.matchAll(/^\| ([A-Z]\d{2}) \| (.+?) \| (.*?) \|$/gm)].map(([, id = "", words = "", rooms = ""]) => [
      id,
      { words, rooms: rooms.split(", ") },
    ]),
  );

/** The table for these tests, with the words of the one before. A row without words says so. */
export function rowTable(rows: ReadonlyMap<string, readonly string[]>, before: ReadonlyMap<string, Row>): string {
  const lines = [...rows].map(
    ([id, rooms]) => `| ${id} | ${before.get(id)?.words ?? "TODO: say what it is"} | ${rooms.join(", ")} |`,
  );
  return ["| row | what holds | tests in |", "|---|---|---|", ...lines, ""].join("\n");
}
