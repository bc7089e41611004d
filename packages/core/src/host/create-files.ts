import { type Files, fail, isWithin, type TextFile, type WriteExpectation } from "../tool/index.ts";
import type { FileBasics } from "./host-ports.ts";
import { find, search } from "./search.ts";
import { decode, encode, hashOf } from "./text.ts";

/** Largest text that is read as a whole, in bytes. */
const MAX_TEXT = 50 * 1024 * 1024;

const UTF8: Pick<TextFile, "encoding" | "bom"> = { encoding: "utf-8", bom: false };

/**
 * The whole files port from a few operations: hashes, encodings, line windows, globs and searches come with it. Writes of
 * one path run one after the other, so an expectation holds against other calls of this session; against programs on the
 * host it is checked right before the write.
 */
export function createFiles(basics: FileBasics): Files {
  const inOrder = queueByPath();
  const text: Files["text"] = async (path, { maxBytes = MAX_TEXT } = {}) => {
    const real = await realFile(basics, path);
    const size = (await basics.stat(real))?.size ?? 0;
    if (size > maxBytes)
      fail("file_too_large", `${path} has ${size} bytes, more than ${maxBytes}.`, "Read it in parts.");
    const bytes = await basics.read(real);
    return { ...decode(path, bytes), hash: await hashOf(bytes) };
  };
  return {
    locate: (path) => basics.locate(path),
    stat: (path) => basics.stat(path),
    async bytes(path, { start = 0, end } = {}) {
      return (await basics.read(await realFile(basics, path))).subarray(start, end);
    },
    text,
    lines: async (path, window) => linesIn(await text(path), window),
    async list(path) {
      const entries = await basics.list((await basics.locate(path)).path);
      const rank = (kind: string): number => (kind === "directory" ? 0 : 1);
      return [...entries].sort((a, b) => rank(a.kind) - rank(b.kind) || (a.path < b.path ? -1 : 1));
    },
    write: (path, data, options = {}) =>
      inOrder(path, async () => {
        const { path: real, kind } = await basics.locate(path);
        if (kind === "directory") fail("is_directory", `${path} is a folder.`);
        await checkExpected(basics, real, options);
        const bytes = typeof data === "string" ? encode(path, data, options.like ?? UTF8) : data;
        const folders = await missingFolders(basics, real);
        await basics.write(real, bytes);
        return { hash: await hashOf(bytes), bytes: bytes.length, ...(folders.length > 0 ? { folders } : {}) };
      }),
    remove: (path, options = {}) =>
      inOrder(path, async () => {
        const found = await basics.stat(path);
        if (!found) fail("file_not_found", `${path} does not exist.`);
        if (found.kind !== "file") fail("invalid_input", `${path} is not a regular file. It was not removed.`);
        await checkExpected(basics, path, options);
        await basics.remove(path);
      }),
    find: (query) => find(basics, query),
    search: (query) => search(basics, query),
    // Without the repository's configuration git commands do not count as reading.
    gitConfig: async () => undefined,
    seen: async () => undefined,
    show: async () => {},
  };
}

async function realFile(basics: FileBasics, path: string): Promise<string> {
  const { path: real, kind } = await basics.locate(path);
  if (kind === "missing") fail("file_not_found", `${path} does not exist.`, "Check the path, or list the folder.");
  if (kind === "directory") fail("is_directory", `${path} is a folder.`, "List it instead.");
  if (kind === "other") fail("invalid_input", `${path} is neither a file nor a folder.`);
  return real;
}

async function checkExpected(basics: FileBasics, path: string, { expect }: WriteExpectation): Promise<void> {
  if (expect === undefined) return;
  const { kind } = await basics.locate(path);
  if (expect === "absent" && kind !== "missing") fail("file_exists", `${path} exists already. It was not changed.`);
  if (expect === "absent") return;
  if (kind !== "file" || (await hashOf(await basics.read(path))) !== expect)
    fail("file_changed", `${path} has changed since it was read. It was not changed.`, "Read it again.");
}

async function missingFolders(basics: FileBasics, path: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const folder = path.slice(0, at);
    if ((await basics.locate(folder)).kind !== "missing") break;
    missing.unshift(folder);
  }
  return missing;
}

function linesIn(
  { text, hash }: TextFile,
  { first, limit, maxLineChars, maxChars = Number.POSITIVE_INFINITY }: Parameters<Files["lines"]>[1],
): Awaited<ReturnType<Files["lines"]>> {
  const all = text === "" ? [] : text.replace(/(?:\r\n|\n|\r)$/, "").split(/\r\n|\n|\r/);
  const cut: number[] = [];
  const lines: string[] = [];
  let chars = 0;
  for (const [at, line] of all.slice(first - 1, first - 1 + limit).entries()) {
    chars += Math.min(line.length, maxLineChars);
    if (chars > maxChars) break;
    if (line.length > maxLineChars) cut.push(first + at);
    lines.push(line.slice(0, maxLineChars));
  }
  const isWhole = first === 1 && lines.length === all.length && cut.length === 0;
  return { lines, first, total: all.length, whole: isWhole, cut, hash };
}

/** Runs the work on one path one after the other. */
function queueByPath() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const before = [...last].filter(([other]) => isWithin(other, path) || isWithin(path, other)).map(([, run]) => run);
    const run = Promise.allSettled(before).then(work);
    last.set(path, run);
    const over = () => {
      if (last.get(path) === run) last.delete(path);
    };
    run.then(over, over);
    return run;
  };
}
