import { isWithin } from "@haft/core/tool";
import { locate } from "../../host/index.ts";

/**
 * Whether a target really lies in a boundary: both by their real locations, compared by whole segments. A target that
 * does not exist counts where its nearest existing folder leads. Relative paths are refused with `invalid_input`.
 */
export async function isPathContained(boundary: string, target: string): Promise<boolean> {
  const [folder, place] = await Promise.all([locate(boundary), locate(target)]);
  return isWithin(folder.path, place.path);
}
