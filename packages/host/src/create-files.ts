import { hash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { type FileEntry, type FileStat, type Files, fail, grouped, type TextFile } from "@haft/core/tool";
import { attributeCopier, type CopyAttributes } from "./files/attributes/copy-attributes.ts";
import { commonEol, decode, detectEncoding, encode, namedEncoding } from "./files/encoding.ts";
import { worded } from "./files/fault.ts";
import { readLines } from "./files/lines.ts";
import { type Locate, locate, locateExactly, statOf } from "./files/locate.ts";
import { openFile, openFolder, readPiece } from "./files/open.ts";
import { removeFile, writeFile } from "./files/write.ts";
import type { Ripgrep } from "./search/ripgrep.ts";

/** Size limit of a text to hold in memory as a whole. */
const TEXT_BYTES = 50 * 1024 * 1024;

/** Options for searching the files of this machine. */
interface FilesOptions {
  /** Finds the ripgrep program. Without it, or if it finds none, the builtin engine searches. */
  readonly ripgrep?: Ripgrep;
}

/** The files of this machine. Does not record what was seen: the session's binding does that. */
export function createFiles({ ripgrep }: FilesOptions = {}): Files {
  const copyAttributes = attributeCopier();
  const at = (place: Locate) => filesAt({ place, copyAttributes, ripgrep });
  return { ...at(locate), exact: at(locateExactly) };
}

interface Parts {
  readonly place: Locate;
  readonly copyAttributes: CopyAttributes;
  readonly ripgrep: Ripgrep | undefined;
}

const filesAt = ({ place, copyAttributes, ripgrep }: Parts): Omit<Files, "exact"> => ({
  locate,
  stat: readStat,
  bytes: (path, range) => readBytes(path, range, place),
  text: (path, options) => readText(path, options, place),
  lines: (path, window) => readLines(path, window, place),
  list: (path) => list(path, place),
  write: (path, data, options) => writeFile(path, data, options ?? {}, { place, copyAttributes }),
  remove: (path, options) => removeFile(path, options, place),
  find: async (query) => (await import("./search/find.ts")).findFiles(query, ripgrep, place),
  search: async (query) => (await import("./search/search.ts")).searchFiles(query, ripgrep, place),
  gitConfig: async (folder) => (await import("./files/git-config.ts")).gitConfig(folder),
  gitTracked: async (folder, isWanted) => (await import("./files/git-config.ts")).gitTracked(folder, isWanted),
  mentions,
  seen: async () => undefined,
  show: async () => undefined,
});

/** Size limit of a program to search for words. */
const PROGRAM_BYTES = 256 * 1024;

/** The length of a header that identifies a file's type. */
const HEADER_BYTES = 100;

/** Limits on names to search below a folder, and directly in one: checking this many is hardly noticeable. */
const MOST_NAMES = 50_000;
const MOST_NAMES_HERE = 20_000;

async function mentions(
  path: string,
  words: readonly string[],
  { shallow = false, schema = false } = {},
): Promise<boolean> {
  try {
    if (schema) {
      const { wordsOfSchema } = await import("./files/schema.ts");
      const text = await wordsOfSchema(path);
      return words.some((word) => text.includes(word));
    }
    if (words.length === 0) return await isLeft(await realpath(path));
    if ((await statOf(path))?.isDirectory())
      return shallow ? await namesHereMention(path, words) : await namesMention(path, words);
    // Its raw bytes: only the program that reads them knows their encoding.
    const bytes = Buffer.from(await readBytes(path, { start: 0, end: shallow ? HEADER_BYTES : PROGRAM_BYTES + 1 }));
    return bytes.length > PROGRAM_BYTES || words.some((word) => bytes.includes(word));
  } catch {
    return true;
  }
}

async function namesHereMention(folder: string, words: readonly string[]): Promise<boolean> {
  const names = await readdir(folder);
  return names.length > MOST_NAMES_HERE || names.some((name) => words.some((word) => `/${name}`.includes(word)));
}

/** The same for the names below a folder, each with a slash before it. Targets of links are unknown. */
async function namesMention(folder: string, words: readonly string[]): Promise<boolean> {
  const names: string[] = [""];
  for (let index = 0; index < names.length; index++) {
    const below = names[index]!;
    if (words.some((word) => below.includes(word))) return true;
    if (index > 0 && !below.endsWith("/")) continue;
    const entries = readdirSync(`${folder}${below}`, { withFileTypes: true });
    if (names.length + entries.length > MOST_NAMES || entries.some((entry) => entry.isSymbolicLink())) return true;
    names.push(...entries.map((entry) => `${below || "/"}${entry.name}${entry.isDirectory() ? "/" : ""}`));
  }
  return false;
}

/** Whether a link below a folder leads out of it. A dangling link may soon lead anywhere, so it counts. */
async function isLeft(folder: string): Promise<boolean> {
  if ((await statOf(folder))?.isFile()) return false;
  const inside = folder === "/" ? folder : `${folder}/`;
  const folders = [folder];
  let names = 0;
  for (let current = folders.pop(); current !== undefined; current = folders.pop()) {
    const entries = readdirSync(current, { withFileTypes: true });
    names += entries.length;
    if (names > MOST_NAMES) return true;
    for (const entry of entries) {
      const path = `${current === "/" ? "" : current}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isSymbolicLink() && !`${await realpath(path)}/`.startsWith(inside)) return true;
    }
  }
  return false;
}

async function readStat(path: string): Promise<FileStat | undefined> {
  const found = await statOf(path);
  if (!found) return undefined;
  return { kind: kindOf(found), size: found.size, modifiedMs: found.mtimeMs, mode: found.mode & 0o7777 };
}

async function readBytes(
  path: string,
  range: { start?: number; end?: number } = {},
  place: Locate = locate,
): Promise<Uint8Array> {
  using file = await openFile(path, place);
  return await worded(path, async () => {
    if (range.start === undefined && range.end === undefined) return file.whole();
    const start = range.start ?? 0;
    const end = Math.min(range.end ?? Number.POSITIVE_INFINITY, file.size);
    const bytes = Buffer.alloc(Math.max(end - start, 0));
    const { bytesRead } = await readPiece(file.descriptor, bytes, 0, bytes.length, start);
    return bytes.subarray(0, bytesRead);
  });
}

interface TextOptions {
  readonly maxBytes?: number;
  readonly encoding?: string;
}

async function readText(path: string, options: TextOptions = {}, place: Locate = locate): Promise<TextFile> {
  const { maxBytes = TEXT_BYTES, encoding: wish } = options;
  using file = await openFile(path, place);
  if (file.size > maxBytes)
    fail(
      "file_too_large",
      `${path} has ${grouped(file.size)} bytes; the limit is ${grouped(maxBytes)}.`,
      "Look at a part of it: Read with offset and limit, or Grep. Change it with a program that streams: Bash with sed.",
    );
  const bytes = await worded(path, () => file.whole());
  const found = wish === undefined ? await detectEncoding(bytes) : await namedEncoding(bytes, wish);
  const { name, bomBytes, isGuess } = found ?? fail("binary_file", `${path} is a binary file.`, BINARY_HINT);
  const text = await decode(bytes, { name, bomBytes });
  const form = { encoding: name, bom: bomBytes > 0 };
  if (wish !== undefined && !(await isFaithful(text, form, bytes)))
    fail(
      "validation_failed",
      `${path} has bytes that are not ${name}; a change would damage them.`,
      "Name another encoding, or leave it out.",
    );
  const digest = hash("sha256", bytes, "hex");
  return { text, ...form, eol: commonEol(text), hash: digest, ...(isGuess ? { guessed: true as const } : {}) };
}

/** Whether a text, encoded again, is these bytes. */
async function isFaithful(text: string, form: Pick<TextFile, "encoding" | "bom">, bytes: Uint8Array): Promise<boolean> {
  const again = await encode(text, form);
  return again !== undefined && Buffer.compare(again, bytes) === 0;
}

const BINARY_HINT = "It is not text. Use Bash with a program for its format.";

async function list(path: string, place: Locate): Promise<readonly FileEntry[]> {
  const { path: folder } = await place(path);
  const found = await worded(path, async () => {
    using open = openFolder(folder, path);
    const entries = await readdir(open.inside, { withFileTypes: true });
    return await Promise.all(
      entries.map(async (entry): Promise<FileEntry> => {
        const kind = kindOf(entry);
        const own = kind === "file" ? await statOf(`${open.inside}/${entry.name}`).catch(() => undefined) : undefined;
        return { path: entry.name, kind, ...(own ? { size: own.size } : {}) };
      }),
    );
  });
  return found.sort(
    (a, b) => Number(b.kind === "directory") - Number(a.kind === "directory") || compare(a.path, b.path),
  );
}

/** By code unit, so that the order is the same in every locale. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileStat["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}
