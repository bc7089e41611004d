import { type Files, fail, HaftError, parent, resolve } from "@haft/core/tool";
import { naming } from "../../support/not-found.ts";
import { checkSame, readSource, refuseStructured, type Source, type Written } from "../edit/source.ts";
import { applyChunks } from "./apply-chunks.ts";
import type { Operation } from "./operation.ts";

/** A file as it was on disk, for undo. */
interface Before {
  readonly bytes: Uint8Array;
  readonly hash: string;
  /** Permission bits. */
  readonly mode: number;
  /** The text for display; empty for a binary file. */
  readonly text: string;
}

/** A file as it will be. */
interface After extends Written {
  /** The text for display. */
  readonly text: string;
  /** Permission bits of the file that was moved here. */
  readonly mode?: number;
  /** Absolute path of the file that was moved here. */
  readonly from?: string;
  /** The display text of the moved file at its old place. */
  readonly fromText?: string;
}

/** The change of one file, with all sections of the patch combined. */
export interface FileChange {
  /** Absolute path, as named. */
  readonly path: string;
  readonly before?: Before;
  readonly after?: After;
  /** Differences that were ignored when lines were matched. */
  readonly tolerated: readonly string[];
}

interface Entry {
  readonly path: string;
  readonly before?: Before;
  readonly source?: Source;
  readonly isLink: boolean;
  after: (After & { readonly plain: string; readonly source?: Source }) | undefined;
  tolerated: string[];
}

/**
 * Plans a patch in memory: each section sees the result of the previous ones. Nothing is written, so a section that
 * cannot be applied leaves every file unchanged.
 */
export async function planPatch(operations: readonly Operation[], files: Files, cwd: string): Promise<FileChange[]> {
  const entries = new Map<string, Entry>();
  const entryAt = async (named: string, line: number): Promise<Entry> => {
    if (named.startsWith("~"))
      fail("patch_invalid", `Line ${line} of the patch: a ~ is not expanded.`, "Write the whole path.");
    const path = resolve(cwd, named);
    const { path: real, kind } = await files.locate(path);
    if (kind === "directory")
      fail("is_directory", `Line ${line} of the patch: ${path} is a folder.`, "Name a file in it.");
    const known = entries.get(real) ?? (await load(files, path, kind === "missing"));
    entries.set(real, known);
    return known;
  };
  for (const operation of operations) {
    const entry = await entryAt(operation.path, operation.line);
    if (operation.kind === "add") add(entry, operation.text, operation.line);
    else if (entry.after === undefined) await refuseMissing(files, entry.path, operation.line);
    else if (operation.kind === "delete") remove(entry, operation.line);
    else {
      update(entry, operation);
      if (operation.to !== undefined) move(entry, await entryAt(operation.to, operation.line), operation.line);
    }
  }
  refuseFileAsFolder(entries);
  return changesOf([...entries.values()]);
}

async function load(files: Files, path: string, isMissing: boolean): Promise<Entry> {
  if (isMissing) return { path, isLink: false, after: undefined, tolerated: [] };
  const stat = await files.stat(path);
  const source = await readSource(files, path, []).catch((thrown: unknown) => {
    if (HaftError.is(thrown) && thrown.code === "binary_file") return undefined;
    throw thrown;
  });
  const bytes = await files.bytes(path);
  const hash = source?.hash ?? (await hashOf(bytes));
  if (source) checkSame(bytes, hash, path);
  const text = source ? source.shown(source.text) : "";
  const before: Before = { bytes, hash, mode: stat?.mode ?? 0o644, text };
  const after = { data: bytes, text, plain: source?.text ?? "", ...(source ? { source } : {}) };
  return { path, before, ...(source ? { source } : {}), isLink: stat?.kind === "symlink", after, tolerated: [] };
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(bytes).digest("hex");
}

function add(entry: Entry, text: string, line: number): void {
  if (entry.after !== undefined)
    fail(
      "file_exists",
      `Line ${line} of the patch: ${entry.path} exists already.`,
      "Nothing was written. Use Update File to change it, or Delete File before adding it again.",
      { path: entry.path },
    );
  entry.after = { data: text, text, plain: text };
}

function remove(entry: Entry, line: number): void {
  refuseLink(entry, line);
  entry.after = undefined;
}

function update(entry: Entry, { chunks, line }: Operation & { kind: "update" }): void {
  if (entry.source) refuseStructured(entry.path, entry.source.text);
  const { after } = entry;
  if (!after) return;
  if (entry.before && !after.source && after.data === entry.before.bytes)
    fail("binary_file", `Line ${line} of the patch: ${entry.path} is a binary file.`, "Only text can be patched.");
  const changed = applyChunks(entry.path, after.plain, chunks);
  entry.tolerated.push(...changed.tolerated);
  const written = after.source?.written(changed.text) ?? { data: changed.text };
  entry.after = { ...after, ...written, plain: changed.text, text: after.source?.shown(changed.text) ?? changed.text };
}

function move(entry: Entry, target: Entry, line: number): void {
  if (target === entry) return;
  refuseLink(entry, line);
  if (target.after !== undefined)
    fail(
      "file_exists",
      `Line ${line} of the patch: ${entry.path} cannot be moved to ${target.path}, which exists already.`,
      "Nothing was written. Choose another name, or delete that file in a section before this one.",
      { path: target.path },
    );
  if (!entry.after) return;
  const mode = entry.before?.mode;
  const fromText = entry.before?.text ?? "";
  target.after = { ...entry.after, from: entry.path, fromText, ...(mode === undefined ? {} : { mode }) };
  target.tolerated = entry.tolerated;
  entry.after = undefined;
  entry.tolerated = [];
}

/** A patch never means to remove a link's target, and the link itself is not text. */
function refuseLink(entry: Entry, line: number): void {
  if (!entry.isLink) return;
  fail(
    "validation_failed",
    `Line ${line} of the patch: ${entry.path} is a symbolic link.`,
    "Nothing was written. Name the file that it leads to, or remove the link with Bash.",
    { path: entry.path },
  );
}

async function refuseMissing(files: Files, path: string, line: number): Promise<never> {
  return naming(files, path, async () =>
    fail("file_not_found", `Line ${line} of the patch: ${path} does not exist.`, "Look for it with Glob."),
  );
}

/** A path cannot be both a file and the folder of another file. Detects this before the first write. */
function refuseFileAsFolder(entries: ReadonlyMap<string, Entry>): void {
  for (const [real, { path, after }] of entries) {
    if (!after) continue;
    for (let folder = parent(real); folder !== parent(folder); folder = parent(folder)) {
      const file = entries.get(folder);
      if (!file?.after) continue;
      fail(
        "patch_invalid",
        `The patch makes ${file.path} a file, and ${path} a file in a folder of that name.`,
        "Nothing was written. Give one of them another name.",
        { path: file.path },
      );
    }
  }
}

/** The differences in the end; a file that was added and deleted again does not count as a change. */
function changesOf(entries: readonly Entry[]): FileChange[] {
  const changes = entries.flatMap(({ path, before, source, after, tolerated }): FileChange[] => {
    if (!before && !after) return [];
    const isSame = before && after && (after.data === before.bytes || (source && after.plain === source.text));
    if (isSame) return [];
    return [{ path, ...(before ? { before } : {}), ...(after ? { after } : {}), tolerated: [...new Set(tolerated)] }];
  });
  if (changes.length === 0)
    fail("no_change", "The patch changes nothing: every file would be as it is.", "There is nothing left to do here.");
  return changes;
}
