// One SQLite file as the store of approvals, records and long results. With another database the statements stay the same.
import { DatabaseSync } from "node:sqlite";
import type { ApprovalTable, RecordEntry, RecordStore, SpillStore, StoredApproval } from "@haft/core/host";

const TABLES = `
  PRAGMA journal_mode = WAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS approvals
    (id TEXT PRIMARY KEY, session TEXT, revision INTEGER, state TEXT, asked INTEGER, row TEXT);
  CREATE TABLE IF NOT EXISTS record (session TEXT, place INTEGER, entry TEXT, PRIMARY KEY (session, place));
  CREATE TABLE IF NOT EXISTS spill (session TEXT, name TEXT, data BLOB, PRIMARY KEY (session, name));
`;

export interface SqliteStores {
  readonly approvals: ApprovalTable;
  readonly record: RecordStore;
  readonly spill: SpillStore;
  close(): void;
}

export function sqliteStores(file: string): SqliteStores {
  const database = new DatabaseSync(file);
  database.exec(TABLES);
  const parsed = (rows: readonly Record<string, unknown>[], column: string) =>
    rows.map((row) => JSON.parse(String(row[column])));
  return {
    approvals: {
      list: (session) =>
        parsed(
          database
            .prepare("SELECT row FROM approvals WHERE session = ? AND state <> 'ended' ORDER BY asked")
            .all(session),
          "row",
        ) as StoredApproval[],
      put(row) {
        const text = JSON.stringify(row);
        const { changes } =
          row.revision === 1
            ? database
                .prepare(
                  `INSERT OR IGNORE INTO approvals
                   SELECT ?, ?, 1, ?, (SELECT COALESCE(MAX(asked), 0) + 1 FROM approvals), ?`,
                )
                .run(row.id, row.session, row.state, text)
            : database
                .prepare("UPDATE approvals SET revision = ?, state = ?, row = ? WHERE id = ? AND revision = ?")
                .run(row.revision, row.state, text, row.id, row.revision - 1);
        return changes === 1;
      },
    },
    record: {
      read: (session) =>
        parsed(
          database.prepare("SELECT entry FROM record WHERE session = ? ORDER BY place").all(session),
          "entry",
        ) as RecordEntry[],
      append(session, after, entries) {
        database.exec("BEGIN IMMEDIATE");
        try {
          const found = database.prepare("SELECT COUNT(*) AS count FROM record WHERE session = ?").get(session);
          const fits = found?.count === after;
          const insert = database.prepare("INSERT INTO record VALUES (?, ?, ?)");
          if (fits) for (const [at, entry] of entries.entries()) insert.run(session, after + at, JSON.stringify(entry));
          database.exec("COMMIT");
          return fits;
        } catch (thrown) {
          database.exec("ROLLBACK");
          throw thrown;
        }
      },
    },
    spill: {
      write: (session, name, data) =>
        void database.prepare("INSERT OR REPLACE INTO spill VALUES (?, ?, ?)").run(session, name, data),
      read(session, name) {
        const found = database.prepare("SELECT data FROM spill WHERE session = ? AND name = ?").get(session, name);
        return found?.data as Uint8Array | undefined;
      },
    },
    close: () => database.close(),
  };
}
