import { readFile } from "node:fs/promises";
import { extname, join, resolve, sep } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/** Serves the files of a folder. A path without an extension is a page of the console: all pages are one file. */
export const staticFiles =
  (folder: string) =>
  async (path: string): Promise<Response | undefined> => {
    const name = extname(path) === "" ? "/index.html" : path;
    const root = resolve(folder);
    const file = join(root, name);
    const type = TYPES[extname(file)];
    if (!file.startsWith(`${root}${sep}`) || type === undefined) return undefined;
    const bytes = await readFile(file).catch(() => undefined);
    if (!bytes) return undefined;
    // Names of assets carry a hash of their content.
    const cache = name.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    return new Response(bytes, { headers: { "Content-Type": type, "Cache-Control": cache } });
  };
