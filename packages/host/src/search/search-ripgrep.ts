import { basename, parent, type SearchQuery, type SearchResult } from "@haft/core/tool";
import { ignoreOptions } from "./find.ts";
import { globFilter, lastSegment } from "./glob.ts";
import { Hits, shownLine } from "./hits.ts";
import { partly } from "./readable.ts";
import { PASSED, spawnRipgrep } from "./spawn-ripgrep.ts";

const NUL = 0;
const LINE_FEED = 0x0a;
const COLON = 0x3a;

/** Bytes of a line to decode around its match. */
const DECODED_BYTES = 4096;

/** The notice that ripgrep prints between the records for a file that turned out to be binary. */
const BINARY_NOTICE =
  /^[^\0]*?: (?:WARNING: stopped searching binary file after match|binary file matches) \([^\n]*\)\r?\n/;

/** The folder in which ripgrep starts. For a single file, also its name there or its open descriptor. */
interface Place {
  readonly cwd: string;
  readonly name?: string;
  readonly descriptor?: number;
}

/** Searches with one ripgrep process; `undefined` if it cannot finish. */
export async function searchWithRipgrep(
  program: string,
  query: SearchQuery,
  { cwd, name, descriptor }: Place,
): Promise<SearchResult | undefined> {
  const isFile = name !== undefined || descriptor !== undefined;
  const root = isFile ? parent(query.root) : query.root;
  const target = descriptor === undefined ? `./${name ?? ""}` : `/proc/self/fd/${PASSED}`;
  const args = [...optionsOf(query), "--", target];
  const fits = globFilter(query.glob);
  const toWanted = (path: string) => {
    const own = isFile ? basename(query.root) : path.startsWith("./") ? path.slice(2) : path;
    const whole = `${root === "/" ? "" : root}/${own}`;
    return fits(own) && (query.isVisible?.(whole) ?? true) ? whole : undefined;
  };
  if (query.want === "lines") {
    const hits = new Hits(query);
    const reader = new RecordReader(hits, toWanted);
    const ending = await spawnRipgrep(program, args, { cwd, descriptor }, (chunk) => reader.push(chunk), query.signal);
    if (ending === "stuck") return undefined;
    return { engine: "ripgrep", matches: hits.page(), files: [], total: hits.total, ...partly(ending === "whole") };
  }
  const chunks: Buffer[] = [];
  const ending = await spawnRipgrep(
    program,
    args,
    { cwd, descriptor },
    (chunk) => chunks.push(chunk) > 0,
    query.signal,
  );
  if (ending === "stuck") return undefined;
  const output = Buffer.concat(chunks).toString("utf8");
  const files = (query.want === "files" ? fileRecords(output) : countRecords(output))
    .map(({ path, count }) => ({ path: toWanted(path), count }))
    .filter((entry): entry is { path: string; count: number } => entry.path !== undefined)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const offset = query.offset ?? 0;
  const page = files.slice(offset, offset + query.limit);
  return { engine: "ripgrep", matches: [], files: page, total: files.length, ...partly(ending === "whole") };
}

/** Passes values as `--name=value`, so that a model's text cannot be read as an option. */
function optionsOf(query: SearchQuery): string[] {
  const shape =
    query.want === "lines"
      ? [
          "--no-heading",
          "--line-number",
          "--column",
          "--with-filename",
          `--before-context=${query.before ?? 0}`,
          `--after-context=${query.after ?? 0}`,
        ]
      : [query.want === "files" ? "--files-with-matches" : "--count", "--with-filename"];
  return [
    ...shape,
    "--null",
    "--color=never",
    "--no-messages",
    // A mapped file would be in memory as a whole, and would crash ripgrep if it is truncated meanwhile.
    "--no-mmap",
    "--crlf",
    ...ignoreOptions(query.ignore),
    ...(query.ignoreCase ? ["--ignore-case"] : []),
    ...(query.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(query.glob ?? []).map(globOption),
    ...((query.glob ?? []).some((glob) => !glob.startsWith("!")) ? ["--type=haftglob"] : []),
    ...(query.type === undefined ? [] : [`--type=${query.type}`]),
    `--regexp=${query.pattern}`,
  ];
}

/**
 * A positive `--glob` would bring back ignored files, so it is passed as a file type, which only matches last
 * segments; the caller checks the rest of the path.
 */
function globOption(glob: string): string {
  return glob.startsWith("!") ? `--glob=${glob}` : `--type-add=haftglob:${lastSegment(glob)}`;
}

const fileRecords = (output: string) =>
  output
    .split("\0")
    .slice(0, -1)
    .map((path) => ({ path, count: 1 }));

const countRecords = (output: string) =>
  [...output.matchAll(/([^\0]*)\0(\d+)\r?\n/g)].map(([, path = "", count]) => ({ path, count: Number(count) }));

/** Reads `path NUL line : column : text LF` and, for context, `path NUL line - text LF`. */
class RecordReader {
  private rest: Buffer = Buffer.alloc(0);
  private readonly hits: Hits;
  private readonly toWanted: (path: string) => string | undefined;
  private lastName: Buffer = Buffer.alloc(0);
  private lastPath: string | undefined;

  constructor(hits: Hits, toWanted: (path: string) => string | undefined) {
    this.hits = hits;
    this.toWanted = toWanted;
  }

  push(chunk: Buffer): boolean {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let start = 0;
    for (;;) {
      const name = bytes.indexOf(NUL, start);
      const end = name < 0 ? -1 : bytes.indexOf(LINE_FEED, name);
      if (end < 0) break;
      const path = this.pathOf(bytes.subarray(start, name));
      if (path !== undefined) this.record(path, bytes.subarray(name + 1, end));
      start = end + 1;
    }
    this.rest = Buffer.from(bytes.subarray(start));
    return true;
  }

  /** Hits of one file are consecutive, so most names need no decoding. */
  private pathOf(name: Buffer): string | undefined {
    if (name.equals(this.lastName)) return this.lastPath;
    let text = name.toString("utf8");
    for (let before = ""; before !== text; ) {
      before = text;
      text = text.replace(/^--\r?\n/, "").replace(BINARY_NOTICE, "");
    }
    this.lastName = Buffer.from(name);
    this.lastPath = this.toWanted(text);
    return this.lastPath;
  }

  private record(path: string, body: Buffer): void {
    let at = 0;
    while (isDigit(body[at])) at += 1;
    const line = Number(body.toString("latin1", 0, at));
    if (body[at] !== COLON) {
      if (this.hits.wants(path)) this.hits.add(path, { line, text: lineText(body, at + 1, 0), context: true });
      return;
    }
    if (!this.hits.wants(path)) {
      this.hits.add(path, { line, text: "" });
      return;
    }
    let end = at + 1;
    while (isDigit(body[end])) end += 1;
    const column = Number(body.toString("latin1", at + 1, end)) - 1;
    this.hits.add(path, { line, text: lineText(body, end + 1, column) });
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** `column` counts bytes. Decodes only the part around the match of a very long line. */
function lineText(body: Buffer, start: number, column: number): string {
  const length = body.length - start - (body.at(-1) === 0x0d ? 1 : 0);
  if (length <= DECODED_BYTES) {
    const text = body.toString("utf8", start, start + length);
    return shownLine(text, body.toString("utf8", start, start + column).length);
  }
  const from = column < DECODED_BYTES / 2 ? 0 : column - DECODED_BYTES / 4;
  const piece = body.toString("utf8", start + from, start + Math.min(from + DECODED_BYTES, length));
  const shown = shownLine(piece, body.toString("utf8", start + from, start + column).length);
  return from > 0 && !shown.startsWith("…") ? `…${shown}` : shown;
}
