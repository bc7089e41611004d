import { isPrivatePath } from "@haft/core/policy";
import { type Effect, type Files, isWithin, parent, type ReadEffect, type RunEffect, resolve } from "@haft/core/tool";
import { isGit, placeOf, wordOf } from "./git-place.ts";
import { shell } from "./shell.ts";

/** Maximum private files to name; people do not read more. */
const MOST_NAMED = 20;
/** Above this number, a question about a command could not offer a rule. */
const MOST_STORED = 4;

/**
 * The private files that a git command may show without naming them. `git show HEAD` and `git grep` read from the
 * object store, so nothing can be left out.
 */
export async function privateHistory(
  effects: readonly Effect[],
  files: Pick<Files, "gitTracked" | "locate">,
): Promise<readonly Effect[]> {
  const added = new Map<string, Effect>();
  const note = (paths: readonly string[], of: string) => {
    for (const path of paths) added.set(`${of} ${path}`, { do: "read", basis: "proved", path, of });
  };
  const wider: Effect[] = [];
  const runs = effects.filter((effect) => effect.do === "run");
  for (const read of effects.filter(isOfStore)) {
    const run = runs.find(({ text }) => text === read.of);
    note(await shownBy(read, run, files), read.of!);
    const top = run && (await wholeRepository(read, run, files));
    if (top !== undefined && top !== read.path) wider.push({ ...read, path: top, as: top });
  }
  for (const run of runs) if (run.opaque && isGit(run)) note(await storedBy(run, files), run.text);
  return [...wider, ...[...added.values()].slice(0, MOST_NAMED)];
}

/** The top of the repository, if a command shows more of it than the folder where it works. */
async function wholeRepository(
  { path }: ReadEffect,
  run: RunEffect,
  { locate }: Pick<Files, "locate">,
): Promise<string | undefined> {
  const { shownPaths } = await shell();
  if (shownPaths(run.argv, wordOf(run)) !== undefined) return undefined;
  for (let folder = path; ; folder = parent(folder)) {
    if ((await locate(`${folder === "/" ? "" : folder}/.git`)).kind !== "missing") return folder;
    if (folder === "/") return undefined;
  }
}

/**
 * The private files that a command adds to the store: it must read them for that, even where commands find them masked.
 */
async function storedBy(
  run: RunEffect,
  { gitTracked, locate }: Pick<Files, "gitTracked" | "locate">,
): Promise<readonly string[]> {
  const { storedPaths } = await shell();
  const only = storedPaths(run.argv, wordOf(run));
  return only?.length === 0 || !gitTracked
    ? []
    : (await trackedIn(placeOf(run), only, { gitTracked, locate })).slice(0, MOST_STORED);
}

const isOfStore = (effect: Effect): effect is ReadEffect =>
  effect.do === "read" && effect.shows === "versions" && effect.of !== undefined;

async function shownBy(
  read: ReadEffect,
  run: RunEffect | undefined,
  { gitTracked, locate }: Pick<Files, "gitTracked" | "locate">,
): Promise<readonly string[]> {
  const { shownPaths } = await shell();
  const only = run && shownPaths(run.argv, wordOf(run));
  // If the repository cannot be inspected, assume that there is such a file.
  if (!gitTracked) return only === undefined ? [resolve(read.path, ".env")] : [];
  return trackedIn(run ? placeOf(run) : read.path, only, { gitTracked, locate });
}

/** The private files that a repository tracks, or only those at or below some paths. */
async function trackedIn(
  place: string,
  only: readonly string[] | undefined,
  { gitTracked, locate }: Required<Pick<Files, "gitTracked" | "locate">>,
): Promise<readonly string[]> {
  const tracked = await gitTracked(place, isPrivatePath);
  if (only === undefined || tracked.length === 0) return tracked;
  const places = await Promise.all(only.map(async (path) => (await locate(resolve(place, path))).path));
  return tracked.filter((path) => places.some((one) => isWithin(one, path)));
}
