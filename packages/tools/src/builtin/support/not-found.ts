import { nearest } from "@haft/core/schema";
import {
  basename,
  type Effect,
  type EffectContext,
  type Files,
  HaftError,
  isWithin,
  parent,
  read,
} from "@haft/core/tool";
import { namedPath } from "./named-path.ts";

/** Maximum names to suggest. */
const MAX_NAMES = 3;

/**
 * The effect of a tool on its file and, for a missing file, a look into its folder, so that the error can suggest a
 * file. Outside the current folder, the look would need its own approval, which a rule for just that file does not
 * give.
 */
export async function withLookAround(
  named: string,
  effectsOn: (path: string) => readonly Effect[],
  ctx: EffectContext,
): Promise<readonly Effect[]> {
  const path = namedPath(ctx, named);
  const effects = effectsOn(path);
  if (!isWithin(ctx.cwd, parent(path))) return effects;
  return (await isMissing(path, ctx)) ? [...effects, read(parent(path))] : effects;
}

/** A cycle of links does not count as missing: opening it reports the problem. */
const isMissing = (path: string, { locate }: EffectContext): Promise<boolean> =>
  locate(path).then(
    ({ kind }) => kind === "missing",
    () => false,
  );

/** Runs work on a file; if the file is missing, the error suggests similar names next to it. */
export async function naming<T>(files: Files, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "file_not_found") throw thrown;
    const names = await similarNames(files, path);
    const hint = hintFor(path, names) ?? (await missingFolder(files, path)) ?? thrown.hint ?? LOOK;
    throw new HaftError({ code: thrown.code, message: thrown.message, hint, details: { path, similar: names } });
  }
}

const LOOK = "Look for it with Glob, or list its folder with Ls.";

function hintFor(path: string, names: readonly string[]): string | undefined {
  // The folder has the shown name but not the given one.
  if (names.includes(path)) return UNREADABLE_NAME;
  return names.length > 0 ? `Did you mean ${names.join(" or ")}?` : undefined;
}

const UNREADABLE_NAME =
  "Its name has bytes that are not text, so it cannot be used here. Rename it first with Bash: in a pattern, ? matches such a byte.";

/** If even the folder is missing: the folder where the path went wrong. */
async function missingFolder(files: Files, path: string): Promise<string | undefined> {
  let missing: string | undefined;
  for (let folder = parent(path); folder !== "/"; folder = parent(folder)) {
    const { kind } = await files.locate(folder);
    if (kind !== "missing")
      return missing && `There is no folder ${missing}. List ${folder} with Ls, or look for the file with Glob.`;
    missing = folder;
  }
  return missing && `There is no folder ${missing}. Look for the file with Glob.`;
}

/** The files next to a missing one with similar names; empty if its folder may not be read. */
export async function similarNames(files: Files, path: string): Promise<string[]> {
  const folder = parent(path);
  const entries = await files.list(folder).catch(() => []);
  const name = basename(path);
  const names = entries.filter((entry) => entry.kind !== "directory").map((entry) => entry.path);
  const sameStem = names.filter((other) => stem(other) === stem(name));
  const close = nearest(name, names);
  const found = [...new Set([...(close === undefined ? [] : [close]), ...sameStem])];
  return found.slice(0, MAX_NAMES).map((other) => `${folder === "/" ? "" : folder}/${other}`);
}

const stem = (name: string): string => name.replace(/\.[^.]*$/, "").toLowerCase();
