import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Image } from "../image/image.ts";
import { bytesBelow } from "../image/tree.ts";
import { writeDurably } from "./blobs.ts";
import { linkedText } from "./chain.ts";
import { originalsIn } from "./originals.ts";
import type { Line } from "./record.ts";

/** Most bytes of old content in a workspace's journal. Older content is dropped, so it can no longer be undone. */
export const JOURNAL_BYTES = 1024 ** 3;
/** Share of the limit that remains after dropping, so that not every end has to drop. */
const KEPT_SHARE = 0.75;
/** The size is measured each time this share of the limit has been written. */
const MEASURED_SHARE = 1 / 8;

export interface Collection {
  readonly folder: string;
  readonly annex: string | undefined;
  readonly lines: readonly Line[];
  readonly limit: number;
  /** The head of the lines before the collection. */
  readonly head?: string | undefined;
}

/** Adds the written bytes to the count; returns `true` when it is time to measure. */
export function isCollectionDue(folder: string, written: number, limit: number): boolean {
  if (written === 0 || !existsSync(folder)) return false;
  const counter = join(folder, "written");
  const total = written + (existsSync(counter) ? Number(readFileSync(counter, "utf8")) || 0 : 0);
  const isDue = total > limit * MEASURED_SHARE;
  try {
    writeFileSync(counter, isDue ? "0" : String(total), { mode: 0o600 });
  } catch {
    // A full disk: dropping old content makes room, and a lost count only delays the next measurement.
  }
  return isDue;
}

/** Drops the oldest entries until the contents of the rest fit. Call it only while nobody else writes. */
export function collect({ folder, annex, lines, limit: whole, head }: Collection): void {
  // Content held in views counts against the limit.
  const limit = Math.max(0, whole - (annex === undefined ? 0 : sizeOf(join(annex, "views"))));
  const blobs = join(folder, "blobs");
  const kept = annex === undefined ? undefined : join(annex, "kept");
  // The contents are in `blobs`, too.
  if (annex !== undefined && sizeOf(originalsIn(annex)) + sizeOf(blobs) > limit) remove(originalsIn(annex));
  if (sizeOf(blobs) + (kept === undefined ? 0 : sizeOf(kept)) <= limit) return;
  const images = new Map<string, Image[]>();
  for (const line of lines) {
    if ((line.t === "intent" || line.t === "done") && line.changes)
      images.set(line.id, [...(images.get(line.id) ?? []), ...line.changes.map(({ before }) => before)]);
  }
  const chosen = new Set<string>();
  const contents = new Map<string, number>();
  let bytes = 0;
  for (const [id, own] of [...images].reverse()) {
    for (const [name, size] of own.flatMap(contentOf)) {
      if (!contents.has(name)) bytes += size;
      if (bytes <= limit * KEPT_SHARE) contents.set(name, size);
    }
    if (bytes > limit * KEPT_SHARE) break;
    chosen.add(id);
  }
  const rest = lines.filter(({ t, id }) => t !== "collected" && (!images.has(id) || chosen.has(id)));
  // First the lines: contents that no line names can then be removed.
  const first = { t: "collected", at: new Date().toISOString(), ...(head === undefined ? {} : { after: head }) };
  writeDurably(join(folder, "journal.jsonl"), Buffer.from(linkedText([first, ...rest])));
  dropContents(blobs, contents);
  if (kept !== undefined) for (const name of names(kept)) if (!contents.has(join(kept, name))) remove(join(kept, name));
}

/** The content hash or kept path that an image needs, with its size. */
function contentOf(image: Image): [string, number][] {
  if (image.type === "tree") return image.kept === undefined ? [] : [[image.kept, sizeOf(image.kept)]];
  if (image.type !== "file") return [];
  return [[image.kept ?? image.hash, image.size]];
}

function dropContents(blobs: string, used: ReadonlyMap<string, number>): void {
  for (const name of names(blobs)) {
    const inner = join(blobs, name);
    if (name !== "pack") {
      for (const hash of names(inner)) if (!used.has(hash)) remove(join(inner, hash));
      continue;
    }
    for (const index of names(inner).filter((one) => one.endsWith(".json"))) {
      const hashes = (JSON.parse(readFileSync(join(inner, index), "utf8")) as [string][]).map(([hash]) => hash);
      if (hashes.some((hash) => used.has(hash))) continue;
      remove(join(inner, index));
      remove(join(inner, index.replace(/json$/, "bin")));
    }
  }
}

const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

/** Bytes below a path; unreadable folders count as empty. */
function sizeOf(path: string): number {
  try {
    return bytesBelow(path);
  } catch {
    return 0;
  }
}
