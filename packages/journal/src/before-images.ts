import { type BigIntStats, linkSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { grouped } from "@haft/core/tool";
import { reasonOf } from "./apply/reason.ts";
import { copyFile } from "./image/copy-file.ts";
import { withExact } from "./image/exact.ts";
import { type Image, imageOf, NONE, readWhole, statOf } from "./image/image.ts";
import { toSystem } from "./image/raw-path.ts";
import { printOf } from "./image/tree.ts";
import type { Ledger } from "./ledger.ts";
import { newId } from "./store/record.ts";

/** Largest file that is kept as content. */
const CONTENT_BYTES = 8 * 1024 * 1024;
/** Largest file that is kept as content when bigger files cannot be kept as files. */
const CONTENT_BYTES_AT_MOST = 64 * 1024 * 1024;

/** Keeps the current state of paths, so that it can be restored. */
export interface BeforeImages {
  /** Keeps content from another source. Returns its SHA-256. */
  keepBytes(bytes: Buffer): string;
  /**
   * Keeps what is at a path; `known` is a recent stat of it. A folder is kept without its content. Returns `lost` for
   * files that are too big or that this user cannot read. Throws on a disk error, because nothing may be changed
   * then.
   */
  keep(path: string, known?: BigIntStats): Image;
  /** The same for a path that nobody is about to change: most disk errors give `lost`, too. */
  copy(path: string): Image;
  /** Keeps a whole folder that is moved away as one. */
  keepTree(path: string): Image;
  /** Waits until everything is on disk. */
  seal(): void;
}

export function beginKeeping(ledger: Ledger): BeforeImages {
  const keeper = ledger.blobs.begin();

  /** A new name in the annex; `undefined` without an annex. */
  const placeInAnnex = (): string | undefined => {
    if (ledger.annex === undefined) return undefined;
    mkdirSync(join(ledger.annex, "kept"), { recursive: true, mode: 0o700 });
    return join(ledger.annex, "kept", newId());
  };

  function keep(path: string, isThrown: (code: string | undefined) => boolean, known?: BigIntStats): Image {
    try {
      const found = known ?? statOf(path);
      if (!found) return NONE;
      if (!found.isFile()) return imageOf(path, found);
      if (found.size <= CONTENT_BYTES) return keepContent(path);
      const kept = placeInAnnex();
      if (kept !== undefined) {
        keepFile(path, kept, found.nlink);
        return { ...(imageOf(path, found) as Extract<Image, { type: "file" }>), kept };
      }
      if (found.size <= CONTENT_BYTES_AT_MOST) return keepContent(path);
      return { type: "lost", why: `It is too large for the journal (${grouped(Number(found.size))} bytes).` };
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (isThrown(code)) throw thrown;
      return { type: "lost", why: code === "EACCES" ? "It could not be read." : reasonOf(thrown) };
    }
  }

  return {
    seal: keeper.seal,
    keepBytes: keeper.keep,
    keep: (path, known) => keep(path, (code) => code === "EIO" || code === "EREPLACED" || isFull(code), known),
    copy: (path) => keep(path, isFull),
    keepTree(path) {
      const kept = placeInAnnex();
      const { print, entries } = printOf(path);
      return { type: "tree", print, entries, ...(kept === undefined ? {} : { kept }) };
    },
  };

  function keepContent(path: string): Image {
    const { bytes, found } = readWhole(path);
    return found.isFile() ? imageOf(path, found, keeper.keep(bytes)) : NONE;
  }
}

const isFull = (code: string | undefined): boolean => code === "ENOSPC" || code === "EDQUOT";

/** Keeps the file itself as a hard link. Copies it if it has further names, because it could be written through them. */
function keepFile(path: string, kept: string, names: bigint): void {
  if (names === 1n) withExact(path, (place) => linkSync(toSystem(place), kept));
  else copyFile(path, kept, false);
}
