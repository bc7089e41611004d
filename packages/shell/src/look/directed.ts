import { type Files, parent } from "@haft/core/tool";
import { DIRECTED } from "../reader/self/directed.ts";

/** How many parent folders the search checks. */
const MOST_LEVELS = 64;

/** Whether nothing in a folder or above it directs the program. Unreadable files may direct it. */
export async function isUndirected(
  program: string,
  folder: string,
  files: Pick<Files, "locate" | "mentions">,
): Promise<boolean> {
  const { without, unlessWith = {}, modules = [] } = DIRECTED.get(program) ?? { without: [] };
  const isMissing = async (path: string) => (await files.locate(path)).kind === "missing";
  try {
    let { path: current } = await files.locate(folder);
    const here = current === "/" ? "" : current;
    const endings = modules.map((name) => `/${name}.`);
    if (modules.length > 0 && (await files.mentions?.(current, endings, { shallow: true })) !== false) return false;
    for (const name of modules) if (await isPackage(`${here}/${name}`, files)) return false;
    for (let level = 0; level < MOST_LEVELS; level++) {
      const base = current === "/" ? "" : current;
      for (const name of without) if (!(await isMissing(`${base}/${name}`))) return false;
      for (const [name, words] of Object.entries(unlessWith)) {
        const path = `${base}/${name}`;
        if (!(await isMissing(path)) && (await files.mentions?.(path, words)) !== false) return false;
      }
      if (current === "/") return DIRECTED.has(program);
      current = parent(current);
    }
    return false;
  } catch {
    return false;
  }
}

/** Whether Python treats this folder as a module. Python tries a folder without the initial file last among all candidates of that name. */
async function isPackage(path: string, files: Pick<Files, "locate" | "mentions">): Promise<boolean> {
  const { path: real, kind } = await files.locate(path);
  if (kind !== "directory") return kind === "other";
  return (await files.mentions?.(real, ["/__init__."], { shallow: true })) !== false;
}
