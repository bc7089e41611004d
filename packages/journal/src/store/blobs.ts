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

interface Place {
  readonly pack: string;
  readonly start: number;
  readonly size: number;
}

/** Opens a folder of contents; it is created when something is kept. */
export function openBlobs(folder: string): Blobs {
  const loose = (hash: string) => join(folder, hash.slice(0, 2), hash);
  const packs = join(folder, "pack");
  const known = new Map<string, Place>();
  const indexed = new Set<string>();
  let written = 0;

  /** Sees packs of other processes the next time that something is kept or read. */
  function place(hash: string): Place | undefined {
    if (!known.has(hash)) readIndexes();
    return known.get(hash);
  }

  function readIndexes(): void {
    if (!existsSync(packs)) return;
    for (const name of readdirSync(packs)) {
      if (!name.endsWith(".json") || indexed.has(name)) continue;
      indexed.add(name);
      const entries = JSON.parse(readFileSync(join(packs, name), "utf8")) as [string, number, number][];
      const pack = join(packs, name.replace(/json$/, "bin"));
      for (const [hash, start, size] of entries) known.set(hash, { pack, start, size });
    }
  }

  /** Whether a content is kept. Reads the folder once, because a query for each content would cost more. */
  function knower(): (hash: string) => boolean {
    const seen = new Map<string, ReadonlySet<string>>();
    return (hash) => {
      if (known.has(hash)) return true;
      const part = hash.slice(0, 2);
      const names = seen.get(part) ?? new Set(namesIn(join(folder, part)));
      seen.set(part, names);
      return names.has(hash);
    };
  }

  function sealLoose(fresh: ReadonlyMap<string, Buffer>): void {
    for (const [hash, bytes] of fresh) {
      makeDurably(join(folder, hash.slice(0, 2)));
      writeDurably(loose(hash), bytes);
    }
  }

  function sealPack(fresh: ReadonlyMap<string, Buffer>): void {
    makeDurably(packs);
    const name = randomBytes(12).toString("hex");
    const entries: [string, number, number][] = [];
    let start = 0;
    for (const [hash, { length }] of fresh) {
      entries.push([hash, start, length]);
      start += length;
    }
    writeDurably(join(packs, `${name}.bin`), Buffer.concat([...fresh.values()]));
    // A pack without its index is useless, so the index is written last.
    writeDurably(join(packs, `${name}.json`), Buffer.from(JSON.stringify(entries)));
    indexed.add(`${name}.json`);
    for (const [hash, at, size] of entries) known.set(hash, { pack: join(packs, `${name}.bin`), start: at, size });
  }

  return {
    get written() {
      return written;
    },
    begin() {
      readIndexes();
      const has = knower();
      const fresh = new Map<string, Buffer>();
      let pending = 0;
      const seal = () => {
        if (fresh.size >= PACK_FROM) sealPack(fresh);
        else sealLoose(fresh);
        fresh.clear();
        pending = 0;
      };
      return {
        seal,
        keep(bytes) {
          const hash = hashBytes(bytes);
          if (fresh.has(hash) || has(hash)) return hash;
          fresh.set(hash, bytes);
          pending += bytes.length;
          written += bytes.length;
          if (pending > PENDING_BYTES) seal();
          return hash;
        },
      };
    },
    read(hash) {
      const bytes = readIfThere(loose(hash)) ?? readPlace(place(hash));
      if (bytes && hashBytes(bytes) === hash) return bytes;
      throw new HaftError({
        code: "execution_failed",
        message: `The journal has ${bytes ? "a damaged copy" : "no copy"} of the old content ${hash.slice(0, 12)}.`,
        hint: "This file cannot be restored: old content is dropped when the journal exceeds its size limit.",
      });
    },
  };
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
