import { isPrivatePath } from "@haft/core/policy";
import { type Effect, type Files, isWithin, type ReadEffect, type RunEffect, resolve } from "@haft/core/tool";
import { placeOf } from "./git-place.ts";
import { shell } from "./shell.ts";

/** Of more private files a person reads no more names. */
const MOST_NAMED = 20;

/**
 * The private files that a git command may show though nobody names them: `git show HEAD` and `git grep` take what they show from the
 * store, so nothing can be left out of it.
 */
export async function privateHistory(
  effects: readonly Effect[],
  files: Pick<Files, "gitTracked" | "locate">,
): Promise<readonly Effect[]> {
  const added = new Map<string, Effect>();
  for (const read of effects.filter(isOfStore)) {
    const run = effects.find((one): one is RunEffect => one.do === "run" && one.text === read.of);
    for (const path of await shownBy(read, run, files))
      added.set(`${read.of} ${path}`, { do: "read", basis: "proved", path, of: read.of! });
  }
  return [...added.values()].slice(0, MOST_NAMED);
}

const isOfStore = (effect: Effect): effect is ReadEffect =>
  effect.do === "read" && effect.shows === "versions" && effect.of !== undefined;

async function shownBy(
  read: ReadEffect,
  run: RunEffect | undefined,
  { gitTracked, locate }: Pick<Files, "gitTracked" | "locate">,
): Promise<readonly string[]> {
  const { shownPaths } = await shell();
  const only = run && shownPaths(run.argv);
  // Where nobody can look, there may be such a file.
  if (!gitTracked) return only === undefined ? [resolve(read.path, ".env")] : [];
  const tracked = await gitTracked(read.path, isPrivatePath);
  if (only === undefined || run === undefined) return tracked;
  const places = await Promise.all(only.map(async (path) => (await locate(resolve(placeOf(run), path))).path));
  return tracked.filter((path) => places.some((place) => isWithin(place, path)));
}
