import { statSync } from "node:fs";
import { openDatabase } from "./database.ts";

/** Full-text search over the conversations of sessions. The files are the truth: the index can be deleted. */
export interface TextIndex {
  /** The sessions whose conversations match, the best first. Files that have changed are read again before. */
  search(query: string, files: ReadonlyMap<string, string>, textOf: (file: string) => string): readonly string[];
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS file (session TEXT PRIMARY KEY, size INTEGER NOT NULL, changed REAL NOT NULL) STRICT;
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (session UNINDEXED, text, tokenize = 'porter unicode61');
`;

/** Opens the index at a path. */
export async function openTextIndex(path: string): Promise<TextIndex> {
  const database = await openDatabase(path, SCHEMA);

  function refresh(session: string, file: string, textOf: (file: string) => string): void {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) return;
    const [known] = database.all("SELECT size, changed FROM file WHERE session = ?", session);
    if (known?.size === found.size && known.changed === found.mtimeMs) return;
    const text = textOf(file);
    database.together(() => {
      database.run("DELETE FROM words WHERE session = ?", session);
      database.run("INSERT INTO words (session, text) VALUES (?, ?)", session, text);
      database.run("INSERT OR REPLACE INTO file VALUES (?, ?, ?)", session, found.size, found.mtimeMs);
    });
  }

  return {
    search(query, files, textOf) {
      for (const [session, file] of files) refresh(session, file, textOf);
      const terms = (query.match(/[\p{L}\p{N}_]+/gu) ?? []).map((word) => `"${word}"*`);
      if (terms.length === 0) return [];
      return database
        .all("SELECT session FROM words WHERE words MATCH ? ORDER BY rank", terms.join(" "))
        .map(({ session }) => String(session))
        .filter((session) => files.has(session));
    },
    close: () => database.close(),
  };
}
