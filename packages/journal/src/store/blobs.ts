import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { HaftError } from "@haft/core/tool";
import { hashBytes } from "../image/image.ts";
import { readIfThere } from "./read-if-there.ts";

/** Contents by their SHA-256, each kept once. */
export interface Blobs {
  /** Bytes newly kept through this object. */
  readonly written: number;
  /** Collects contents, which are safe on disk when `seal` returns. Bytes stay in memory no longer than that. */
  begin(): Keeper;
  /** @throws HaftError when the content is missing or no longer matches its hash. */
  read(hash: string): Buffer;
}

export interface Keeper {
  keep(bytes: Buffer): string;
  seal(): void;
}

/** Most bytes that wait in memory before they are written. */
const PENDING_BYTES = 32 * 1024 * 1024;
/** From this many new contents on, they go into one file: one disk sync instead of one for each. */
const PACK_FROM = 4;

/** A content of a pack: its hash, start and size. */
type IndexEntry = readonly [string, number, number];

interface Place {
  readonly pack: string;
  readonly start: number;
  readonly size: number;
}

/** Opens a folder of contents; it is created when something is kept. */
export const openBlobs = (folder: string): Blobs => new BlobFolder(folder);

class BlobFolder implements Blobs {
  written = 0;
  readonly #folder: string;
  readonly #packs: string;
  readonly #known = new Map<string, Place>();
  readonly #indexed = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#packs = join(folder, "pack");
  }

  begin(): Keeper {
    this.#readIndexes();
    const has = this.#knower();
    const fresh = new Map<string, Buffer>();
    let pending = 0;
    const seal = () => {
      if (fresh.size >= PACK_FROM) this.#sealPack(fresh);
      else this.#sealLoose(fresh);
      fresh.clear();
      pending = 0;
    };
    const keep = (bytes: Buffer): string => {
      const hash = hashBytes(bytes);
      if (fresh.has(hash) || has(hash)) return hash;
      fresh.set(hash, bytes);
      pending += bytes.length;
      this.written += bytes.length;
      if (pending > PENDING_BYTES) seal();
      return hash;
    };
    return { seal, keep };
  }

  read(hash: string): Buffer {
    const bytes = readIfThere(this.#loose(hash)) ?? readPlace(this.#place(hash));
    if (bytes && hashBytes(bytes) === hash) return bytes;
    throw new HaftError({
      code: "execution_failed",
      message: `The journal has ${bytes ? "a damaged copy" : "no copy"} of the old content ${hash.slice(0, 12)}.`,
      hint: "This file cannot be restored: old content is dropped when the journal exceeds its size limit.",
    });
  }

  #loose(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }

  /** Sees packs of other processes the next time that something is kept or read. */
  #place(hash: string): Place | undefined {
    if (!this.#known.has(hash)) this.#readIndexes();
    return this.#known.get(hash);
  }

  #readIndexes(): void {
    for (const name of namesIn(this.#packs)) {
      if (!name.endsWith(".json") || this.#indexed.has(name)) continue;
      const index = readFileSync(join(this.#packs, name), "utf8");
      this.#addPack(name, JSON.parse(index) as readonly IndexEntry[]);
    }
  }

  #addPack(index: string, entries: readonly IndexEntry[]): void {
    const pack = join(this.#packs, index.replace(/json$/, "bin"));
    this.#indexed.add(index);
    for (const [hash, start, size] of entries) this.#known.set(hash, { pack, start, size });
  }

  /** Whether a content is kept. Reads the folder once, because a query for each content would cost more. */
  #knower(): (hash: string) => boolean {
    const seen = new Map<string, ReadonlySet<string>>();
    return (hash) => {
      if (this.#known.has(hash)) return true;
      const part = hash.slice(0, 2);
      const names = seen.get(part) ?? new Set(namesIn(join(this.#folder, part)));
      seen.set(part, names);
      return names.has(hash);
    };
  }

  #sealLoose(fresh: ReadonlyMap<string, Buffer>): void {
    for (const [hash, bytes] of fresh) {
      const path = this.#loose(hash);
      makeDurably(dirname(path));
      writeDurably(path, bytes);
    }
  }

  #sealPack(fresh: ReadonlyMap<string, Buffer>): void {
    makeDurably(this.#packs);
    const name = randomBytes(12).toString("hex");
    const entries: IndexEntry[] = [];
    let start = 0;
    for (const [hash, { length }] of fresh) {
      entries.push([hash, start, length]);
      start += length;
    }
    writeDurably(join(this.#packs, `${name}.bin`), Buffer.concat([...fresh.values()]));
    // A pack without its index is useless, so the index is written last.
    writeDurably(join(this.#packs, `${name}.json`), Buffer.from(JSON.stringify(entries)));
    this.#addPack(`${name}.json`, entries);
  }
}

/** The names in a folder; empty if there is no such folder. */
function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function readPlace(place: Place | undefined): Buffer | undefined {
  if (!place || !existsSync(place.pack)) return undefined;
  const descriptor = openSync(place.pack, "r");
  try {
    const bytes = Buffer.alloc(place.size);
    readSync(descriptor, bytes, 0, place.size, place.start);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a file durably: it is either complete and on disk, or does not exist. */
export function writeDurably(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
    fsyncSync(descriptor);
  } catch (thrown) {
    unlinkSync(temporary);
    throw thrown;
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
  syncFolder(dirname(path));
}

/** Not every file system carries a new name to the disk with its file. */
function syncFolder(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } catch (thrown) {
    // Some systems cannot sync folders.
    if (!["EINVAL", "EPERM", "EISDIR"].includes((thrown as NodeJS.ErrnoException).code ?? "")) throw thrown;
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a folder durably. */
function makeDurably(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  for (let made = path; first !== undefined && made.length >= first.length; made = dirname(made))
    syncFolder(dirname(made));
}
