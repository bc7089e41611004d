import { readFileSync } from "node:fs";
import { openChain } from "../journal/store/chain.ts";

/** One line of a session's record. `t` says what it is, `at` when it was written (ISO 8601). */
export interface LogEntry {
  readonly t: string;
  readonly at: string;
  readonly [field: string]: unknown;
}

/** The record of one session: JSON lines, only ever appended to, each with the hash of the one before. */
export interface SessionLog {
  readonly path: string;
  /** Writes one entry, whole, before it returns. Throws when the disk says no. */
  append(entry: { readonly t: string; readonly [field: string]: unknown }): void;
  /** The hash of the last line. */
  head(): string | undefined;
  close(): void;
}

/**
 * Opens a record for appending, readable by its owner only. Each entry is one `write` on a descriptor that stays open:
 * a killed process leaves whole lines, at worst one torn line at the end, which reading leaves out.
 */
export function openSessionLog(path: string): SessionLog {
  const chain = openChain(path);
  return {
    path,
    head: chain.head,
    append(entry) {
      const { t, ...rest } = entry;
      chain.append({ t, at: new Date().toISOString(), ...rest });
    },
    close: chain.close,
  };
}

/** All whole entries of a record. A torn or foreign line is skipped and counted. */
export function readSessionLog(path: string): { readonly entries: LogEntry[]; readonly skipped: number } {
  const entries: LogEntry[] = [];
  let skipped = 0;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line === "") continue;
    const entry = parseEntry(line);
    if (entry) entries.push(entry);
    else skipped++;
  }
  return { entries, skipped };
}

function parseEntry(line: string): LogEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isEntry = typeof value === "object" && value !== null && typeof (value as LogEntry).t === "string";
    return isEntry ? (value as LogEntry) : undefined;
  } catch {
    return undefined;
  }
}
