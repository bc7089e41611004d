import { realpathSync, statSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, fail, type Location, parent } from "@haft/core/tool";
import { errnoOf, toFault } from "./fault.ts";
import { hasAnswered, isPrompt } from "./prompt.ts";

/** Limit on links to follow, dangling or in a cycle, the same as in Linux. */
const MAX_LINKS = 40;

/**
 * The real path of a name: resolves all symbolic links, even dangling ones. After a link, `..` is the parent of the link's
 * target, as for every program. A missing path keeps its remaining segments below the nearest existing folder. Links in a cycle
 * lead nowhere: the first of them is the place, of the kind `other`. A command can remove or replace it.
 */
export async function locate(path: string): Promise<Location> {
  checkPath(path);
  const real = await realLocation(withoutDots(path), []);
  try {
    return { path: real, kind: kindOf(statSync(real)) };
  } catch (thrown) {
    if (isMissing(thrown)) return { path: real, kind: "missing" };
    if (isCycle(thrown)) return { path: real, kind: "other" };
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

/** Fails for links that lead in a circle: they have no content. */
export function refuseCycle(path: string): void {
  try {
    statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (isCycle(thrown)) throw toFault(thrown, path);
  }
}

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

/** `followed`: the links on the way here. */
async function realLocation(path: string, followed: readonly string[]): Promise<string> {
  try {
    return await resolved(path);
  } catch (thrown) {
    if (!isMissing(thrown) && !isCycle(thrown)) throw toFault(thrown, path);
  }
  if (basename(path) === "..") return parent(await realLocation(parent(path), followed));
  if (path === "/") return path;
  const folder = await realLocation(parent(path), followed);
  const place = folder === "/" ? `/${basename(path)}` : `${folder}/${basename(path)}`;
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined || followed.includes(place)) return place;
  if (followed.length === MAX_LINKS) throw toFault({ code: "ELOOP" }, path);
  return realLocation(withoutDots(target.startsWith("/") ? target : `${folder}/${target}`), [...followed, place]);
}

async function resolved(path: string): Promise<string> {
  const folder = parent(path);
  const found = isPrompt(folder) ? realpathSync.native(path) : await realpath(path);
  hasAnswered(folder);
  return found;
}

const isMissing = (thrown: unknown): boolean => errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "ENOTDIR";

const isCycle = (thrown: unknown): boolean => errnoOf(thrown) === "ELOOP";

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
    if (isMissing(thrown) || isCycle(thrown)) return undefined;
    throw toFault(thrown, path);
  }
}
