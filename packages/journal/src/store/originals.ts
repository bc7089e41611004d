import { createHash } from "node:crypto";
import { existsSync, linkSync, mkdirSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { hashFile, type Image, statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";

/**
 * The displaced files themselves. Their contents are kept as well, but undo gives back the very file where it can: with
 * it come hard links, ACLs, extended attributes, owner, holes and times. A file that was changed since is not used.
 */
export interface Originals {
  /** Moves a displaced file from its temporary name to here. Returns `false` if it stays there. */
  take(from: string, path: string, image: Image): boolean;
  /** Adds a link here to a file that is about to be replaced. Returns a function that removes it again. */
  link(from: string, path: string, image: Image): () => void;
  /** The original with this state. */
  find(path: string, image: Image): string | undefined;
}

/** The folder of originals in an annex. */
export const originalsIn = (annex: string): string => join(annex, "originals");

/** Opens the folder of originals, on the file system of the workspace; it is created when something is kept. */
export function openOriginals(folder: string): Originals {
  let isMade = false;
  /**
   * Files are found by path, content and known attributes, because a redo or a second undo has entries of its own. A file
   * that had the same content and other attributes is another one, and so is one that had further names.
   */
  function placeOf(path: string, image: Image): string | undefined {
    if (image.type !== "file" || image.kept !== undefined) return undefined;
    const { hash, attributes = {}, linkOf } = image;
    const own = Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
    const details = own.length === 0 ? "" : ` ${JSON.stringify(own)}`;
    const name = `${hash} ${path}${details}${linkOf === undefined ? "" : " linked"}`;
    return join(folder, createHash("sha256").update(name).digest("hex").slice(0, 32));
  }

  function free(place: string): void {
    if (!isMade) mkdirSync(folder, { recursive: true, mode: 0o700 });
    isMade = true;
    // A rename onto another name of the same file would do nothing.
    if (existsSync(place)) unlinkSync(place);
  }

  function attempt(path: string, image: Image, work: (place: string) => void): string | undefined {
    const place = placeOf(path, image);
    if (place === undefined) return undefined;
    try {
      free(place);
      work(place);
      return place;
    } catch {
      // Another file system, or a disk error: the content is kept anyway.
      return undefined;
    }
  }

  return {
    take: (from, path, image) => attempt(path, image, (place) => renameSync(toSystem(from), place)) !== undefined,
    link(from, path, image) {
      const place = attempt(path, image, (own) => linkSync(toSystem(from), own));
      return () => {
        if (place !== undefined && existsSync(place)) unlinkSync(place);
      };
    },
    find(path, image) {
      const place = placeOf(path, image);
      const found = place === undefined ? undefined : statOf(place);
      if (place === undefined || image.type !== "file" || !found?.isFile()) return undefined;
      return Number(found.size) === image.size && hashFile(place, found.size) === image.hash ? place : undefined;
    },
  };
}
