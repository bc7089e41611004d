import {
  basename,
  type Effect,
  type EffectContext,
  type Files,
  HaftError,
  isWithin,
  nearest,
  parent,
  read,
  resolve,
} from "@haft/core/tool";

/** Most names that are proposed. */
const MAX_NAMES = 3;

/**
 * What a tool does that is about to name a file: the given effects, and for a missing file a look into its folder, so
 * that the error can say which file was meant. Elsewhere than below the current folder the look would need a yes of its
 * own, which a rule for just that file does not give.
 */
export async function withLookAround(path: string, effects: Effect[], ctx: EffectContext): Promise<Effect[]> {
  const named = resolve(ctx.cwd, path);
  if (!isWithin(ctx.cwd, parent(named))) return effects;
  const { kind } = await ctx.locate(named);
  return kind === "missing" ? [...effects, read(parent(named))] : effects;
}

/** Does something with a file; when it is not there, the error names those beside it that look like it. */
export async function naming<T>(files: Files, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "file_not_found") throw thrown;
    const names = await similarNames(files, path);
    const hint = names.length > 0 ? `Did you mean ${names.join(" or ")}?` : hintFor(path, thrown.hint);
    throw new HaftError({ code: thrown.code, message: thrown.message, hint, details: { path, similar: names } });
  }
}

function hintFor(path: string, hint = "Look for it with Glob, or list its folder with Ls."): string {
  return path.includes("/~") ? "A ~ is not expanded here: write the whole path." : hint;
}

async function similarNames(files: Files, path: string): Promise<string[]> {
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
