import { hash } from "node:crypto";
import { closeSync, existsSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A file of JSON lines, only ever appended to. Lines that were written together are a link: the first of them carries the hash of the
 * link before, so that a line that is changed, taken out or put in later breaks the chain. Who may write the file may rewrite all of it;
 * only a head that is kept elsewhere shows that, and only a head or a later link shows what happened to the last one.
 */
export interface Chain {
  readonly path: string;
  /** One line, whole. With `durable` it is on disk when this returns. */
  append(value: object, options?: { readonly durable?: boolean }): void;
  /** Several lines as one link, in one write. Each is the JSON of an object that has at least one field. */
  appendTexts(texts: readonly string[]): void;
  /** The hash of the last link; `undefined` while there is none. */
  head(): string | undefined;
  close(): void;
}

/** The field with the hash of the link before. It is the last of its line. */
const PREVIOUS = "prev";
/** Bytes that are read at once when the last link is looked for. */
const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;
/** In a storm of lines the file is looked at no more often than this, in milliseconds. */
const INSTANT_MS = 2;
/** More than the field with the hash and the end of its line take. */
const LINK_BYTES = 100;

/** Opens a chain; the file is made with the first line, for its owner only. */
export function openChain(path: string): Chain {
  let descriptor: number | undefined;
  /** The last line could not be written whole; the next must not be swallowed by it. */
  let isTorn = false;
  let known: { readonly size: number; readonly head: string | undefined } = { size: 0, head: undefined };
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** The head, with what other processes have written since. Those of the same instant follow the same link anyway. */
  function current(file: number): string | undefined {
    const now = performance.now();
    if (now - lookedAt < INSTANT_MS && !isTorn) return known.head;
    const { size } = fstatSync(file);
    if (size !== known.size) known = { size, head: hashOfLast(file, size) };
    lookedAt = now;
    return known.head;
  }

  function open(): number {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = openSync(path, "a+", 0o600);
    // A torn line of a killed process must not swallow the next one.
    if (endsTorn(file)) writeSync(file, "\n");
    return file;
  }

  function appendTexts(texts: readonly string[]): void {
    descriptor ??= open();
    const link = linkFrom(texts, current(descriptor));
    const bytes = Buffer.from(`${isTorn ? "\n" : ""}${link}\n`);
    isTorn = true;
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
    isTorn = false;
    known = { size: known.size + bytes.length, head: hashOf(link) };
  }

  return {
    path,
    append(value, { durable = false } = {}) {
      appendTexts([JSON.stringify(value)]);
      if (durable) fdatasyncSync(descriptor!);
    },
    appendTexts,
    head() {
      if (descriptor !== undefined) return current(descriptor);
      if (!existsSync(path)) return undefined;
      const file = open();
      try {
        return current(file);
      } finally {
        closeSync(file);
      }
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      known = { size: 0, head: undefined };
      lookedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

const hashOf = (line: string | Buffer): string => hash("sha256", line);

/** The first link of a chain has none before it. */
function linkFrom([first = "", ...more]: readonly string[], head: string | undefined): string {
  // The JSON of an object with one more field, its last.
  const line = head === undefined ? first : `${first.slice(0, -1)},"${PREVIOUS}":"${head}"}`;
  return more.length === 0 ? line : `${line}\n${more.join("\n")}`;
}

function endsTorn(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

function hashOfLast(file: number, size: number): string | undefined {
  let tail: Buffer = Buffer.alloc(0);
  for (let from = size; from > 0; ) {
    const length = Math.min(CHUNK, from);
    from -= length;
    const piece = Buffer.alloc(length);
    readSync(file, piece, 0, length, from);
    tail = Buffer.concat([piece, tail]);
    const start = startOfLast(tail, from === 0);
    // A torn line has no end of its own.
    if (start !== undefined) return hashOf(tail.subarray(start, tail.at(-1) === NEWLINE ? -1 : undefined));
  }
  return undefined;
}

/** Where the last line with a link begins; in a whole file that has none, at its beginning. */
function startOfLast(bytes: Buffer, isWhole: boolean): number | undefined {
  for (let end = bytes.length; end > 0; ) {
    const start = end < 2 ? 0 : bytes.lastIndexOf(NEWLINE, end - 2) + 1;
    if (start === 0 && !isWhole) return undefined;
    const line = bytes
      .subarray(Math.max(start, end - LINK_BYTES), end)
      .toString("latin1")
      .trimEnd();
    if (start === 0 || linkOf(line) !== undefined) return start;
    end = start;
  }
  return undefined;
}

/** Values as the text of a chain. */
export function linkedText(values: readonly object[]): string {
  let head: string | undefined;
  return values
    .map(({ [PREVIOUS]: _, ...value }: { readonly [PREVIOUS]?: unknown }) => {
      const link = linkFrom([JSON.stringify(value)], head);
      head = hashOf(link);
      return `${link}\n`;
    })
    .join("");
}

/** What a check of a chain found. */
export interface ChainReport {
  readonly lines: number;
  /** Lines, from 1, before which something was changed, taken out or put in. */
  readonly broken: readonly number[];
  /** Lines that are not whole: torn by a kill. */
  readonly torn: number;
  readonly head?: string;
  /** Whether a head that was kept elsewhere is found in it; absent where none was asked for. */
  readonly hasHead?: boolean;
}

/**
 * Checks a chain. Two processes that write in the same instant may both follow the same link: any link before counts, and so one
 * at the end of such a fork could be taken out unseen.
 */
export function checkChain(text: string, expected?: string): ChainReport {
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  const seen = new Set<string>();
  const broken: number[] = [];
  let begun: string[] = [];
  for (const [index, line] of lines.entries()) {
    const previous = linkOf(line);
    if (previous !== undefined) {
      if (begun.length > 0) seen.add(hashOf(begun.join("\n")));
      if (!seen.has(previous)) broken.push(index + 1);
      begun = [];
    }
    begun.push(line);
  }
  const head = text === "" ? undefined : hashOf(begun.join("\n"));
  if (head !== undefined) seen.add(head);
  return {
    lines: lines.filter((line) => line !== "").length,
    broken,
    torn: lines.filter((line) => line !== "" && !isWhole(line)).length,
    ...(head === undefined ? {} : { head }),
    ...(expected === undefined ? {} : { hasHead: seen.has(expected) }),
  };
}

function linkOf(line: string): string | undefined {
  return /,"prev":"([0-9a-f]{64})"\}$/.exec(line)?.[1];
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
