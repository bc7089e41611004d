import { realpathSync, statSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, fail, type Location, parent } from "@haft/core/tool";
import { errnoOf, toFault } from "./fault.ts";
import { hasAnswered, isPrompt } from "./prompt.ts";

/** Limit on dangling links to follow, the same as in Linux. */
const MAX_LINKS = 40;

/**
 * The real path of a name: resolves all symbolic links, even dangling ones. After a link, `..` is the parent of the link's
 * target, as for every program. A missing path keeps its remaining segments below the nearest existing folder. A cycle of links
 * is an error.
 */
export async function locate(path: string): Promise<Location> {
  checkPath(path);
  const real = await realLocation(withoutDots(path), MAX_LINKS);
  try {
    return { path: real, kind: kindOf(statSync(real)) };
  } catch (thrown) {
    if (isMissing(thrown)) return { path: real, kind: "missing" };
    throw toFault(thrown, path);
  }
}

/** Resolves a name to its real location. */
export type Locate = typeof locate;

/** The same for a name that was a real path at the check: fails if it now leads elsewhere. */
export const locateExactly: Locate = async (path) => {
  const found = await locate(path);
  return found.path === path ? found : refuseReplaced(path);
};

/** Fails for a name that was replaced since the check. */
export const refuseReplaced = (path: string): never =>
  fail("conflict", `${path} was moved or replaced meanwhile.`, "Try again.", { path });

/** Removes empty and `.` segments. `..` stays: only the file system knows its meaning. */
const withoutDots = (path: string): string =>
  `/${path
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/")}`;

/** Refuses relative paths (their base would be a guess) and NUL characters. */
function checkPath(path: string): void {
  if (path.includes("\0")) fail("invalid_input", "A path cannot hold a NUL character.", "Remove it from the path.");
  if (!path.startsWith("/")) fail("invalid_input", `${path} is not an absolute path.`, "Start it with /.");
}

async function realLocation(path: string, linksLeft: number): Promise<string> {
  try {
    return await resolved(path);
  } catch (thrown) {
    if (!isMissing(thrown)) throw toFault(thrown, path);
  }
  if (basename(path) === "..") return parent(await realLocation(parent(path), linksLeft));
  const target = await readlink(path).catch(() => undefined);
  if (target !== undefined) {
    if (linksLeft === 0) throw toFault({ code: "ELOOP" }, path);
    const from = await realLocation(parent(path), linksLeft);
    return realLocation(withoutDots(target.startsWith("/") ? target : `${from}/${target}`), linksLeft - 1);
  }
  if (path === "/") return path;
  const folder = await realLocation(parent(path), linksLeft);
  return folder === "/" ? `/${basename(path)}` : `${folder}/${basename(path)}`;
}

async function resolved(path: string): Promise<string> {
  const folder = parent(path);
  const found = isPrompt(folder) ? realpathSync.native(path) : await realpath(path);
  hasAnswered(folder);
  return found;
}

const isMissing = (thrown: unknown): boolean => errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "ENOTDIR";

function kindOf(found: { isFile(): boolean; isDirectory(): boolean }): Location["kind"] {
  if (found.isFile()) return "file";
  return found.isDirectory() ? "directory" : "other";
}

/** The stat of the name itself, without following a link in its last segment. */
export async function statOf(path: string) {
  checkPath(path);
  try {
    return await lstat(path);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw toFault(thrown, path);
  }
}
