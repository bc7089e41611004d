import { type Context, createContext, Script } from "node:vm";
import { fail, type SearchQuery, type SearchResult } from "@haft/core/tool";
import { decode as decodeText, markedEncoding } from "../files/encoding.ts";
import { openListed } from "../files/open.ts";
import { typeGlobs } from "./file-types.ts";
import { globFilter } from "./glob.ts";
import { type Hit, Hits, shownLine } from "./hits.ts";
import { toRegExp } from "./pattern.ts";
import { FIRST_READ, partly } from "./readable.ts";
import { walk } from "./walk.ts";

/** Larger files are not read. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Timeout for one batch of files: a JavaScript expression can be exponential, ripgrep's cannot. */
const MAX_BATCH_MS = 2000;
/** Files and characters to search at once. */
const BATCH_FILES = 100;
/** Files to read concurrently. */
const READ_TOGETHER = 32;
const BATCH_CHARS = 2 * 1024 * 1024;

/** Known files, by their names below a folder. */
export interface Chosen {
  readonly folder: string;
  readonly names: readonly string[];
}

/** Searches without ripgrep, below the root or in chosen files: same rules, same order, slower. */
export async function searchWithBuiltin(query: SearchQuery, chosen?: Chosen): Promise<SearchResult> {
  const expression = toRegExp(query.pattern, query);
  const root = chosen?.folder ?? query.root;
  const isWanted = globFilter(query.glob);
  const isOfType = query.type === undefined ? () => true : globFilter(typeGlobs(query.type));
  const hits = new Hits(query);
  const files: { path: string; count: number }[] = [];
  const look = ({ path, text }: Searchable) => {
    const found = hitsOf(text, expression, query);
    const count = found.filter((hit) => !hit.context).length;
    if (count > 0) files.push({ path, count: query.want === "files" ? 1 : count });
    if (query.want === "lines") for (const hit of found) hits.add(path, hit);
  };
  const batch = new Batch(look);
  let paths: string[] = [];
  let isWhole = true;
  const onUnread = () => {
    isWhole = false;
  };
  const read = async () => {
    query.signal?.throwIfAborted();
    const texts = await Promise.all(paths.map(async (path) => ({ path, text: await searchableText(path, onUnread) })));
    for (const { path, text } of texts) if (text !== undefined) batch.add({ path, text });
    paths = [];
  };
  for await (const name of chosen?.names ?? walk(query.root, { ...query, onUnread })) {
    const path = `${root === "/" ? "" : root}/${name}`;
    if (isWanted(name) && isOfType(name) && (query.isVisible?.(path) ?? true)) paths.push(path);
    if (paths.length === READ_TOGETHER) await read();
  }
  await read();
  batch.flush();
  const unread = partly(isWhole);
  if (query.want === "lines")
    return { engine: "builtin", matches: hits.page(), files: [], total: hits.total, ...unread };
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const offset = query.offset ?? 0;
  const page = files.slice(offset, offset + query.limit);
  return { engine: "builtin", matches: [], files: page, total: files.length, ...unread };
}

interface Searchable {
  readonly path: string;
  readonly text: string;
}

/**
 * Searches many texts at a time, under a timeout that also stops a runaway regular expression. One timeout for each text
 * would cost more than the search.
 */
class Batch {
  private texts: Searchable[] = [];
  private chars = 0;
  private readonly room: { work: () => void };
  private readonly context: Context;
  private readonly script = new Script("work()");
  private current = "";

  constructor(look: (text: Searchable) => void) {
    const work = () => {
      for (const text of this.texts) {
        this.current = text.path;
        look(text);
      }
    };
    this.room = { work };
    this.context = createContext(this.room);
  }

  add(text: Searchable): void {
    this.texts.push(text);
    this.chars += text.text.length;
    if (this.texts.length >= BATCH_FILES || this.chars >= BATCH_CHARS) this.flush();
  }

  flush(): void {
    try {
      this.script.runInContext(this.context, { timeout: MAX_BATCH_MS });
    } catch (thrown) {
      if ((thrown as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown;
      fail(
        "timeout",
        `The pattern takes too long on ${this.current}.`,
        "Avoid nested repetitions such as (a+)+, or install ripgrep.",
      );
    }
    this.texts = [];
    this.chars = 0;
  }
}

async function searchableText(path: string, onUnread: () => void): Promise<string | undefined> {
  const bytes = await bytesOf(path).catch(() => undefined);
  if (!bytes) {
    onUnread();
    return undefined;
  }
  const marked = markedEncoding(bytes);
  if (marked) return decodeText(bytes, marked);
  const binary = bytes.indexOf(0);
  if (binary >= 0 && binary < FIRST_READ) return undefined;
  return bytes.toString("utf8", 0, binary < 0 ? bytes.length : binary);
}

async function bytesOf(path: string): Promise<Buffer | undefined> {
  using file = await openListed(path);
  return file.size > MAX_FILE_BYTES ? undefined : await file.whole();
}

function hitsOf(text: string, expression: RegExp, query: SearchQuery): Hit[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const columns = query.multiline ? columnsAcross(text, expression) : columnsWithin(lines, expression);
  const { before = 0, after = 0 } = query.want === "lines" ? query : {};
  const shown = new Set<number>();
  for (const index of columns.keys())
    for (let near = Math.max(0, index - before); near <= Math.min(lines.length - 1, index + after); near++)
      shown.add(near);
  return [...shown]
    .sort((a, b) => a - b)
    .map((index) => {
      const column = columns.get(index);
      const hit = { line: index + 1, text: shownLine(lines[index] ?? "", column ?? 0) };
      return column === undefined ? { ...hit, context: true } : hit;
    });
}

/** The column of the first match, by line number from 0. */
function columnsWithin(lines: readonly string[], expression: RegExp): Map<number, number> {
  const columns = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    expression.lastIndex = 0;
    const match = expression.exec(line);
    if (match) columns.set(index, match.index);
  }
  return columns;
}

/** Every line that a match touches. */
function columnsAcross(text: string, expression: RegExp): Map<number, number> {
  const columns = new Map<number, number>();
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  let line = 0;
  for (const match of text.matchAll(expression)) {
    if (match.index >= text.length && text.endsWith("\n")) break;
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= match.index) line += 1;
    const end = match.index + Math.max(match[0].length, 1);
    for (let touched = line; (starts[touched] ?? Number.POSITIVE_INFINITY) < end; touched++)
      if (!columns.has(touched)) columns.set(touched, Math.max(match.index - (starts[touched] ?? 0), 0));
  }
  return columns;
}
