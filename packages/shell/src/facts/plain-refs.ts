import type { Files } from "@haft/core/tool";
import { toplevelsOf } from "./toplevel.ts";

/**
 * Whether no branch, tag or other name in the repositories around a folder begins with a dash. The author of a repository chose the names,
 * and a tag `--output=x` is cloned like any other. Only repositories in a plain `.git` folder are checked.
 */
export async function hasPlainRefs(folder: string, files: Pick<Files, "locate" | "mentions">): Promise<boolean> {
  try {
    const tops = await toplevelsOf(folder, files);
    if (tops === undefined) return false;
    const states = await Promise.all(tops.map((top) => isPlain(top === "/" ? "/.git" : `${top}/.git`, files)));
    return states.every(Boolean);
  } catch {
    return false;
  }
}

async function isPlain(repository: string, files: Pick<Files, "locate" | "mentions">): Promise<boolean> {
  const kindOf = async (name: string) => (await files.locate(`${repository}/${name}`)).kind;
  const { kind } = await files.locate(repository);
  if (kind === "missing") return true;
  // Stored elsewhere or in another format: one file lists all names.
  if (kind !== "directory" || (await kindOf("commondir")) !== "missing" || (await kindOf("reftable")) !== "missing")
    return false;
  for (const name of ["HEAD", "packed-refs", "refs"]) {
    if ((await kindOf(name)) !== "missing" && (await files.mentions?.(`${repository}/${name}`, ["/-"])) !== false)
      return false;
  }
  return true;
}
