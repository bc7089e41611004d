import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A database of several processes. Statements wait for each other. */
export interface Database {
  run(sql: string, ...values: readonly SQLInputValue[]): void;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly Readonly<Record<string, unknown>>[];
  /** All or nothing. Other processes wait. */
  together<T>(work: () => T): T;
  /** Whether another connection has written since the last call. */
  hasChanged(): boolean;
  close(): void;
}

/** Milliseconds to wait for another process. */
const BUSY_MS = 10_000;

/** Opens a database, and makes it with this schema if there is none. */
export async function openDatabase(file: string, schema: string): Promise<Database> {
  const { DatabaseSync } = await import("node:sqlite");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  const wrapped = wrap(database);
  wrapped.together(() => database.exec(schema));
  return wrapped;
}

function wrap(database: DatabaseSync): Database {
  const prepared = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const statement = (sql: string) => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  let version: unknown;
  return {
    run: (sql, ...values) => void statement(sql).run(...values),
    all: (sql, ...values) => statement(sql).all(...values),
    together(work) {
      database.exec("BEGIN IMMEDIATE");
      try {
        const done = work();
        database.exec("COMMIT");
        return done;
      } catch (thrown) {
        database.exec("ROLLBACK");
        throw thrown;
      }
    },
    hasChanged() {
      const { data_version: now } = statement("PRAGMA data_version").get() ?? {};
      const changed = now !== version;
      version = now;
      return changed;
    },
    close: () => database.close(),
  };
}
