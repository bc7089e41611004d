import { lstatSync } from "node:fs";
import { basename, type Files, type Location, parent, resolve } from "@haft/core/tool";

/** Number of paths kept before they are looked up again. */
const KEPT = 50_000;

/**
 * A cached `locate`, for many questions about one unchanging state of the disk. It looks up each path once, with one system
 * call, and nothing below a folder that does not exist. Links and errors are left to `locate`.
 */
export function rememberedLocate(locate: Files["locate"]): Files["locate"] {
  const known = new Map<string, Promise<Location>>();

  function find(path: string): Promise<Location> {
    const before = known.get(path);
    if (before) return before;
    const found = path === "/" ? locate(path) : find(parent(path)).then((folder) => step(folder, path));
    if (known.size >= KEPT) known.clear();
    known.set(path, found);
    return found;
  }

  async function step(folder: Location, path: string): Promise<Location> {
    const place = folder.path === "/" ? `/${basename(path)}` : `${folder.path}/${basename(path)}`;
    if (folder.kind !== "directory") return { path: place, kind: "missing" };
    const stats = lookAt(place);
    if (stats === "unclear" || stats?.isSymbolicLink()) return locate(path);
    if (!stats) return { path: place, kind: "missing" };
    if (stats.isFile()) return { path: place, kind: "file" };
    return { path: place, kind: stats.isDirectory() ? "directory" : "other" };
  }

  // After a link, `..` is not the path's previous segment.
  const isPlain = (path: string) => path.startsWith("/") && !path.includes("\0") && !/\/\.\.(\/|$)/.test(path);
  return (path) => (isPlain(path) ? find(resolve("/", path)) : locate(path));
}

function lookAt(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return "unclear";
  }
}
