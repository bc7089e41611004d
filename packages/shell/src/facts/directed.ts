import { type Files, parent } from "@haft/core/tool";
import { DIRECTED } from "../reader/version-output/directed.ts";

/** How many parent folders the search checks. */
const MOST_LEVELS = 64;

/** Whether nothing in a folder or above it directs the program. Unreadable files may direct it. */
export async function isUndirected(
  program: string,
  folder: string,
  files: Pick<Files, "locate" | "mentions">,
): Promise<boolean> {
  const { without, unlessWith = {} } = DIRECTED.get(program) ?? { without: [] };
  const isMissing = async (path: string) => (await files.locate(path)).kind === "missing";
  try {
    let { path: current } = await files.locate(folder);
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
