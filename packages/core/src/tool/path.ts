/**
 * Pure path arithmetic on absolute POSIX paths. It touches no file system: real locations come from the Files port.
 * Windows paths enter as `/c/dir/file`, as the rule grammar writes them.
 */

/** Turns `C:\dir\x` into `/c/dir/x`; other paths stay as they are. */
export function toPosix(path: string): string {
  const drive = /^([A-Za-z]):[\\/]/.exec(path);
  return drive?.[1] ? `/${drive[1].toLowerCase()}/${path.slice(3).replaceAll("\\", "/")}` : path;
}

/** Removes `.`, `..` and doubled slashes. Never climbs above the root. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** The absolute path of `path`, relative to the folder `from`. `~` stays: a shell expands it, a port does not. */
export function resolve(from: string, path: string): string {
  const posix = toPosix(path);
  return normalize(posix.startsWith("/") ? posix : `${from}/${posix}`);
}

/** Whether `path` is `folder` or inside it, compared by whole segments. */
export function isWithin(folder: string, path: string): boolean {
  if (folder === "/") return path.startsWith("/");
  return path === folder || path.startsWith(`${folder}/`);
}

/** The folder that holds `path`; the root holds itself. */
export function parent(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut <= 0 ? "/" : path.slice(0, cut);
}

/** The last segment. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `path` relative to `folder` when inside it, absolute when not. For people, never for decisions. */
export function display(folder: string, path: string): string {
  if (path === folder) return ".";
  return isWithin(folder, path) ? path.slice(folder === "/" ? 1 : folder.length + 1) : path;
}
