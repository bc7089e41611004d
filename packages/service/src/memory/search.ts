import type { MemoryEntry } from "@haft/core/tool";

/** The entries that match some of the words, best first. The words may be parts of words from their start. */
export async function searchEntries(
  entries: readonly MemoryEntry[],
  query: string,
  limit: number,
): Promise<readonly MemoryEntry[]> {
  const words = query.match(/[\p{L}\p{N}_]+/gu) ?? [];
  if (words.length === 0 || entries.length === 0) return [];
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(":memory:");
  try {
    database.exec("CREATE VIRTUAL TABLE entry USING fts5(text, tokenize = 'porter unicode61')");
    const insert = database.prepare("INSERT INTO entry (rowid, text) VALUES (?, ?)");
    for (const [index, { text }] of entries.entries()) insert.run(index + 1, text);
    const match = words.map((word) => `"${word}"*`).join(" OR ");
    const rows = database
      .prepare("SELECT rowid AS place FROM entry WHERE entry MATCH ? ORDER BY rank, rowid LIMIT ?")
      .all(match, limit);
    return rows.map(({ place }) => entries[Number(place) - 1]!);
  } finally {
    database.close();
  }
}
