import { hash } from "node:crypto";
import { closeSync, existsSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A file of JSON lines, only ever appended to, in which each line carries the hash of the one before: a line that is
 * changed, taken out or put in later breaks the chain. Who may write the file may rewrite all of it; only a head that is
 * kept elsewhere shows that, and only a head shows that lines at the end are missing.
 */
export interface Chain {
  readonly path: string;
  /** One line, whole. With `durable` it is on disk when this returns. */
  append(value: object, options?: { readonly durable?: boolean }): void;
  /** Several lines in one write. Each is the JSON of an object that has at least one field. */
  appendTexts(texts: readonly string[]): void;
  /** The hash of the last line; `undefined` while there is none. */
  head(): string | undefined;
  close(): void;
}

/** The field with the hash of the line before. It is the last of its line. */
const PREVIOUS = "prev";
/** Bytes that are read at once when the last line is looked for. */
const CHUNK = 64 * 1024;

/** Opens a chain; the file is made with the first line, for its owner only. */
export function openChain(path: string): Chain {
  let descriptor: number | undefined;
  /** The last line could not be written whole; the next must not be swallowed by it. */
  let isTorn = false;
  let known: { readonly size: number; readonly head: string | undefined } = { size: 0, head: undefined };

  /** The head, with what other processes have written since. */
  function current(file: number): string | undefined {
    const { size } = fstatSync(file);
    if (size !== known.size) known = { size, head: hashOfLast(file, size) };
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
    let head = current(descriptor);
    let lines = isTorn ? "\n" : "";
    for (const text of texts) {
      const line = head === undefined ? text : linked(text, head);
      head = hashOf(line);
      lines += `${line}\n`;
    }
    const bytes = Buffer.from(lines);
    isTorn = true;
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
    isTorn = false;
    known = { size: known.size + bytes.length, head };
  }

  return {
    path,
    append(value, { durable = false } = {}) {
      appendTexts([JSON.stringify(value)]);
      if (durable) fdatasyncSync(descriptor!);
    },
    appendTexts,
    head() {
      if (descriptor === undefined && !existsSync(path)) return undefined;
      descriptor ??= open();
      return current(descriptor);
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      known = { size: 0, head: undefined };
    },
  };
}

const hashOf = (line: string | Buffer): string => hash("sha256", line);

/** The JSON of an object with one more field, its last. */
const linked = (text: string, head: string): string => `${text.slice(0, -1)},"${PREVIOUS}":"${head}"}`;

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
    // A torn line has no end of its own.
    const end = tail.at(-1) === 0x0a ? tail.length - 1 : tail.length;
    const start = end > 0 ? tail.lastIndexOf(0x0a, end - 1) : -1;
    if (start >= 0 || from === 0) return hashOf(tail.subarray(start + 1, end));
  }
  return undefined;
}

/** Values as the text of a chain. */
export function linkedText(values: readonly object[]): string {
  let head: string | undefined;
  return values
    .map(({ [PREVIOUS]: _, ...value }: { readonly [PREVIOUS]?: unknown }) => {
      const text = JSON.stringify(value);
      const line = head === undefined ? text : linked(text, head);
      head = hashOf(line);
      return `${line}\n`;
    })
    .join("");
}

/** What a check of a chain found. */
export interface ChainReport {
  readonly lines: number;
  /** Lines, from 1, before which something was changed, taken out or put in. */
  readonly broken: readonly number[];
  /** Lines without a link: written before there were chains, or torn by a kill. */
  readonly unlinked: number;
  readonly head?: string;
  /** Whether a head that was kept elsewhere is found in it; absent where none was asked for. */
  readonly hasHead?: boolean;
}

/**
 * Checks a chain. Two processes that write in the same instant may both follow the same line: a link to any line before
 * counts, and so a line at the end of such a fork could be taken out unseen.
 */
export function checkChain(text: string, expected?: string): ChainReport {
  const lines = text.split("\n").filter((line) => line !== "");
  const seen = new Set<string>();
  const broken: number[] = [];
  let hasLinks = false;
  let unlinked = 0;
  let last: string | undefined;
  for (const [index, line] of lines.entries()) {
    const previous = linkOf(line);
    if (previous === undefined && index > 0) unlinked += 1;
    // Once there are links, a whole line without one was not written by us. The first link is to the line before it.
    const isKnown = previous !== undefined && (hasLinks ? seen.has(previous) : previous === last);
    if (previous === undefined ? hasLinks && isWhole(line) : !isKnown) broken.push(index + 1);
    hasLinks ||= previous !== undefined;
    last = hashOf(line);
    seen.add(last);
  }
  return {
    lines: lines.length,
    broken,
    unlinked,
    ...(last === undefined ? {} : { head: last }),
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
