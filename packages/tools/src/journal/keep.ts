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

/** Files up to this size are kept as content. */
const CONTENT_BYTES = 8 * 1024 * 1024;
/** Where bigger files cannot be kept as they are, they are kept as content up to this size. */
const CONTENT_BYTES_AT_MOST = 64 * 1024 * 1024;

/** Keeps what paths hold now, so that it can be brought back. */
export interface Keeping {
  /** Content that comes from elsewhere. Its SHA-256. */
  keepBytes(bytes: Buffer): string;
  /**
   * What is there, kept; with what a look at it has just shown. A folder without its content. `lost` when it is not to be
   * kept: too big, or not this user's to read. A disk that refuses is thrown: nothing may be changed then.
   */
  keep(path: string, known?: BigIntStats): Image;
  /** The same of something that nobody is about to change: what a disk refuses is `lost`, too. */
  copy(path: string): Image;
  /** A whole folder, to be kept when it is moved away as one. */
  keepTree(path: string): Image;
  /** Waits until all of it is on disk. */
  seal(): void;
}

export function beginKeeping(ledger: Ledger): Keeping {
  const keeper = ledger.blobs.begin();

  /** A name in the annex; `undefined` where there is no annex. */
  const placeInAnnex = (): string | undefined => {
    if (ledger.annex === undefined) return undefined;
    mkdirSync(join(ledger.annex, "kept"), { recursive: true, mode: 0o700 });
    return join(ledger.annex, "kept", ledger.newId());
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
      return { type: "lost", why: `It is too big to be kept (${grouped(Number(found.size))} bytes).` };
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

/** The file itself under a second name; a copy where it has further names, through which it could be written. */
function keepFile(path: string, kept: string, names: bigint): void {
  if (names === 1n) withExact(path, (place) => linkSync(toSystem(place), kept));
  else copyFile(path, kept, false);
}
