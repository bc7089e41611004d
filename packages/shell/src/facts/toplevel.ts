import { type Files, parent } from "@haft/core/tool";

/** How many parent folders are searched for a repository. */
const MOST_LEVELS = 64;

/**
 * The folders that git may name as the top of the repository that contains a folder. A `.git` file ends the search; a `.git` folder ends it
 * only if git finds a repository in it. With a GIT_DIR from the user it is the folder itself.
 */
export async function toplevelsOf(
  folder: string,
  files: Pick<Files, "locate">,
): Promise<readonly string[] | undefined> {
  try {
    const { path: start, kind } = await files.locate(folder);
    // A substitution removes trailing line breaks.
    if (kind !== "directory" || start.includes("\n")) return undefined;
    const tops = [start];
    let current = start;
    for (let level = 0; level < MOST_LEVELS; level++) {
      const found = (await files.locate(current === "/" ? "/.git" : `${current}/.git`)).kind;
      if (found !== "missing" && current !== start) tops.push(current);
      if (found === "file" || current === "/") return tops;
      current = parent(current);
    }
    return undefined;
  } catch {
    return undefined;
  }
}
