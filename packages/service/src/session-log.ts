import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Redact } from "@haft/core/policy";
import { inWords, openChain } from "@haft/journal";

/** One line of a session's record. `t` is its type, `at` the time when it was written (ISO 8601). */
export interface LogEntry {
  readonly t: string;
  readonly at: string;
  readonly [field: string]: unknown;
}

/** An entry before it is written. Its own time, if any, is kept. */
export interface NewEntry {
  readonly t: string;
  readonly at?: string;
  readonly [field: string]: unknown;
}

/** A session's record: JSON lines, append-only. Each write carries the hash of the one before. */
export interface SessionLog {
  readonly path: string;
  /** Writes one whole entry before it returns. Throws on a disk error. */
  append(entry: NewEntry): void;
  /**
   * Writes one entry together with others of the same tick, at a fraction of the cost of single writes. Resolves when
   * it is written, rejects on a disk error, and throws for values that JSON cannot hold. Entries keep the order of
   * the calls, also between both methods.
   */
  enter(entry: NewEntry): Promise<void>;
  /** The hash of the last line. */
  head(): string | undefined;
  close(): void;
}

/** Options for a session's record. */
interface SessionLogOptions {
  /** Removes secrets from every text. */
  readonly redact?: Redact;
}

/** Settled when the waiting lines have been written. */
interface Waiting {
  readonly texts: string[];
  readonly written: PromiseWithResolvers<void>;
}

/**
 * Opens a record for appending, readable only by its owner. Writes whole lines to a descriptor that stays open. A
 * killed process leaves at most one torn line at the end, which reading skips.
 */
export function openSessionLog(path: string, { redact }: SessionLogOptions = {}): SessionLog {
  const chain = openChain(path);
  const stamp = createStamp();
  const textOf = (entry: NewEntry): string =>
    JSON.stringify(entry.at === undefined ? dated(entry, stamp(Date.now())) : entry);
  let waiting: Waiting | undefined;

  function write(texts: readonly string[]): void {
    try {
      chain.appendTexts(redact ? withoutSecrets(texts, redact) : texts);
    } catch (thrown) {
      throw inWords(
        thrown,
        "The record of the session",
        dirname(path),
        "A session cannot continue without its record.",
      );
    }
  }

  function flush(): void {
    if (!waiting) return;
    const { texts, written } = waiting;
    waiting = undefined;
    try {
      write(texts);
      written.resolve();
    } catch (thrown) {
      written.reject(thrown);
    }
  }

  return {
    path,
    head() {
      flush();
      return chain.head();
    },
    append(entry) {
      flush();
      write([textOf(entry)]);
    },
    enter(entry) {
      const text = textOf(entry);
      if (!waiting) {
        waiting = { texts: [], written: Promise.withResolvers() };
        // Runs after everything that is ready to continue: calls that started together mostly end together.
        process.nextTick(flush);
      }
      waiting.texts.push(text);
      return waiting.written.promise;
    },
    close() {
      flush();
      chain.close();
    },
  };
}

/** Formats times as ISO 8601. Reuses the text, because dozens of entries come within one millisecond. */
export function createStamp(): (ms: number) => string {
  let last = Number.NaN;
  let text = "";
  return (ms) => {
    if (ms !== last) {
      text = new Date(ms).toISOString();
      last = ms;
    }
    return text;
  };
}

/** Puts the type and the time first. */
const dated = ({ t, ...rest }: NewEntry, at: string): LogEntry => ({ t, at, ...rest });

/** Hardly any line holds a secret. Lines that may are parsed, so that redaction does not depend on quoting. */
function withoutSecrets(lines: readonly string[], redact: Redact): readonly string[] {
  if (isClean(lines.length === 1 ? lines[0]! : lines.join("\n"), redact)) return lines;
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redact(key), clean(inner)]));
  };
  return lines.map((line) => (isClean(line, redact) ? line : JSON.stringify(clean(JSON.parse(line)))));
}

function isClean(json: string, redact: Redact): boolean {
  const plain = json.includes("\\")
    ? json.replaceAll("\\n", "\n").replaceAll('\\"', '"').replaceAll("\\\\", "\\")
    : json;
  return redact(plain) === plain;
}

/** All whole entries of a record. Torn or foreign lines are skipped and counted. */
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
