import { realpathSync, statSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, fail, type Location, parent } from "@haft/core/tool";
import { errnoOf, toFault } from "./fault.ts";
import { hasAnswered, isPrompt } from "./prompt.ts";

/** How many dangling links may be followed, as many as Linux follows. */
const MAX_LINKS = 40;

/**
 * Where a name really leads: all symbolic links resolved, also those that point at nothing yet. Behind a link `..` is the folder above
 * the one that the link leads to, as to every program. What is missing keeps its remaining segments below the nearest folder that
 * exists. A circle of links is an error.
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

/** Finds out where a name leads. */
export type Locate = typeof locate;

/** The same of a name that led nowhere else when it was looked at: fails where it does by now. */
export const locateExactly: Locate = async (path) => {
  const found = await locate(path);
  return found.path === path ? found : refuseReplaced(path);
};

/** Fails for a name that has become another thing since it was looked at. */
export const refuseReplaced = (path: string): never =>
  fail("conflict", `${path} was moved or replaced meanwhile.`, "Try again.", { path });

/** Without segments that lead nowhere. `..` stays: what it means only the file system knows. */
const withoutDots = (path: string): string =>
  `/${path
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/")}`;

/** Refuses what no file system can hold: a relative path (whose base would be a guess) or a NUL character. */
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

/** What lies under the name itself, without following a link in its last segment. */
export async function statOf(path: string) {
  checkPath(path);
  try {
    return await lstat(path);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw toFault(thrown, path);
  }
}
