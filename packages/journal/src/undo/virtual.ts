import { isWithin, parent } from "@haft/core/tool";
import { holds, type Image, lookAt, NONE, same, statOf } from "../image/image.ts";
import { namesIn } from "../image/tree.ts";

/** The workspace as it would be after changes that have not been made. */
export interface VirtualTree {
  /** Whether a path would hold this image. */
  holds(path: string, image: Image): boolean;
  /** The image that a path would hold. */
  at(path: string): Image;
  set(path: string, image: Image): void;
  /** Absolute paths of the entries that a folder would contain. */
  inside(path: string): readonly string[];
  /** Every path that was set, with its new image. */
  readonly settings: ReadonlyMap<string, Image>;
}

export function virtualTree(): VirtualTree {
  const settings = new Map<string, Image>();
  const below = new Map<string, Set<string>>();

  /** The real path that would be the source of a path; `undefined` if nothing would be there. */
  function origin(path: string): string | undefined {
    for (let above = parent(path); above !== "/"; above = parent(above)) {
      const image = settings.get(above);
      if (image?.type === "tree" && image.kept !== undefined) return `${image.kept}${path.slice(above.length)}`;
      if (image && image.type !== "folder") return undefined;
    }
    return path;
  }

  return {
    settings,
    at(path) {
      const own = settings.get(path);
      if (own) return own;
      const from = origin(path);
      return from === undefined ? NONE : lookAt(from);
    },
    holds(path, image) {
      const own = settings.get(path);
      if (own) return same(own, image);
      const from = origin(path);
      return from === undefined ? image.type === "none" : holds(from, image);
    },
    set(path, image) {
      // A folder that arrives as a whole replaces everything known below it.
      if (image.type === "tree") {
        for (const inner of settings.keys()) if (inner !== path && isWithin(path, inner)) settings.delete(inner);
      }
      settings.set(path, image);
      const siblings = below.get(parent(path)) ?? new Set();
      below.set(parent(path), siblings.add(path));
    },
    inside(path) {
      const from = origin(path);
      const found = from === undefined ? [] : namesOf(from).map((name) => `${path}/${name}`);
      const isGone = (child: string) => settings.get(child)?.type === "none";
      return [...new Set([...found, ...(below.get(path) ?? [])])].filter((child) => !isGone(child));
    },
  };
}

const namesOf = (path: string): readonly string[] => (statOf(path)?.isDirectory() ? namesIn(path) : []);
