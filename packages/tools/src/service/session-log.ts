import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Redact } from "@haft/core/policy";
import { inWords } from "../journal/fault.ts";
import { openChain } from "../journal/store/chain.ts";

/** One line of a session's record. `t` says what it is, `at` when it was written (ISO 8601). */
export interface LogEntry {
  readonly t: string;
  readonly at: string;
  readonly [field: string]: unknown;
}

/** An entry as it comes. Where it says when it was written, that holds. */
export interface NewEntry {
  readonly t: string;
  readonly at?: string;
  readonly [field: string]: unknown;
}

/** The record of one session: JSON lines, only ever appended to, each write with the hash of the one before. */
export interface SessionLog {
  readonly path: string;
  /** Writes one entry, whole, before it returns. Throws when the disk says no. */
  append(entry: NewEntry): void;
  /**
   * Writes one entry together with those that come in the same breath, which costs a fraction of a write for each.
   * Resolves when it is written, rejects when the disk says no, and throws for what cannot be said in JSON. The order of
   * entries is that of the calls, whichever way they come.
   */
  enter(entry: NewEntry): Promise<void>;
  /** The hash of the last line. */
  head(): string | undefined;
  close(): void;
}

/** What may not stand in the record. */
export interface SessionLogOptions {
  /** Takes secrets out of every text. */
  readonly redact?: Redact;
}

/** Resolved or rejected when the lines that wait have been written. */
interface Waiting {
  readonly texts: string[];
  readonly written: PromiseWithResolvers<void>;
}

/**
 * Opens a record for appending, readable by its owner only. Entries go out in whole lines on a descriptor that stays
 * open: a killed process leaves whole lines, at worst one torn line at the end, which reading leaves out.
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
      throw inWords(thrown, "The record of the session", dirname(path), "Without a record a session does not go on.");
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
        // After everything that is ready to go on: calls that came together mostly end together.
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

/** Times as ISO 8601. Entries come by the dozen in a millisecond, and its words are then the same. */
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

/** What it is and when it was written stand first. */
const dated = ({ t, ...rest }: NewEntry, at: string): LogEntry => ({ t, at, ...rest });

/** Hardly any line holds a secret: those that may are taken apart, so that what goes does not depend on how it was quoted. */
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
