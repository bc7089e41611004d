import { type EffectContext, HaftError, type Location } from "@haft/core/tool";
import { splitGlob } from "@haft/host/glob";
import { namedPath } from "../../support/named-path.ts";

/** The meaning of a given path: a file, or all files below a folder that match a pattern. */
export type Target =
  | { readonly kind: "file"; readonly named: string; readonly path: string }
  | { readonly kind: "tree"; readonly named: string; readonly path: string; readonly pattern: string };

/** An existing path is used literally, even if it looks like a glob. A folder means all files below it. */
export async function targetsOf(
  paths: readonly string[],
  from: Pick<EffectContext, "cwd" | "home">,
  locate: (path: string) => Promise<Location>,
): Promise<readonly Target[]> {
  return Promise.all(
    paths.map(async (named): Promise<Target> => {
      const path = namedPath(from, named);
      const kind = await kindAt(path, locate);
      if (kind === "directory") return { kind: "tree", named, path, pattern: "**" };
      if (kind !== "missing" || !/[*?[{]/.test(named)) return { kind: "file", named, path };
      const { base, rest } = splitGlob(named);
      return { kind: "tree", named, path: namedPath(from, base === "" ? "." : base), pattern: rest };
    }),
  );
}

/** A cycle of links counts as missing, so that the other paths are still read. */
async function kindAt(path: string, locate: (path: string) => Promise<Location>): Promise<Location["kind"]> {
  try {
    return (await locate(path)).kind;
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "file_not_found") return "missing";
    throw thrown;
  }
}
