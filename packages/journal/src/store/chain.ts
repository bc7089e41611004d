import { hash } from "node:crypto";
import { closeSync, existsSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * An append-only file of JSON lines. Lines written together are a link. The first line of a link carries the hash of
 * the link before, so a line that is changed, removed or inserted later breaks the chain. Anyone who can write the
 * file can rewrite all of it. Only a head that is kept elsewhere reveals that. Only such a head or a later link
 * reveals a change of the last link.
 */
export interface Chain {
  readonly path: string;
  /** Appends one whole line. With `durable`, it is on disk when this returns. */
  append(value: object, options?: { readonly durable?: boolean }): void;
  /** Appends several lines as one link, in one write. Each is the JSON of an object with at least one field. */
  appendTexts(texts: readonly string[]): void;
  /** The hash of the last link; `undefined` while there is none. */
  head(): string | undefined;
  close(): void;
}

/** The field with the hash of the link before. It is the last of its line. */
const PREVIOUS = "prev";
/** Bytes of each read in the search for the last link. */
const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;
/** The file is checked at most once in this many milliseconds, for many appends in a row. */
const INSTANT_MS = 2;
/** More than the hash field and the end of its line take, in bytes. */
const LINK_BYTES = 100;

/** Opens a chain. The file is created with the first line, for its owner only. */
export function openChain(path: string): Chain {
  let descriptor: number | undefined;
  /** The last line is incomplete; the next must start on its own line. */
  let isTorn = false;
  let known: { readonly size: number; readonly head: string | undefined } = { size: 0, head: undefined };
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** The head, including lines of other processes. Lines of the same instant follow the same link anyway. */
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
    // A torn line of a killed process must not merge with the next one.
    if (endsTorn(file)) writeSync(file, "\n");
    return file;
  }

  function appendTexts(texts: readonly string[]): void {
    descriptor ??= open();
    const link = linkFrom(texts, current(descriptor));
    const bytes = Buffer.from(`${isTorn && endsTorn(descriptor) ? "\n" : ""}${link}\n`);
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

/** The first link of a chain has no link before it. */
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

/** Offset of the last line with a link; the start of a whole file that has no link. */
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

/** The text of a chain of values. */
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

/** Result of a chain check. */
export interface ChainReport {
  readonly lines: number;
  /** Lines, from 1, before which a line was changed, removed or inserted. */
  readonly broken: readonly number[];
  /** Incomplete lines: torn by a kill. */
  readonly torn: number;
  readonly head?: string;
  /** Whether the chain contains the head that was kept elsewhere; absent if none was given. */
  readonly hasHead?: boolean;
}

/**
 * Checks a chain. Two processes that write in the same instant may both follow the same link, so any earlier link
 * counts. Therefore a link at the end of such a fork could be removed unseen.
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
