import { isWithin, parent } from "../../tool/index.ts";
import type { Workspace } from "../decision.ts";
import { isPrivatePath } from "../guard/private.ts";
import { escapeSegment } from "../pattern/segment.ts";

/**
 * A rule for the folder of a file as a person would write it: `/src/**` below the folder in which the session started,
 * `//abs/**` elsewhere. For a private file, one that lies directly in that folder, or in a folder that holds too much to
 * be given away (the root, its children, a home), the file alone. No pattern means the root alone.
 */
export function folderRule(path: string, isTree: boolean, workspace: Workspace): string | undefined {
  const folder = isTree ? path : parent(path);
  const { startedIn, home } = workspace;
  const isTooWide = isWithin(folder, startedIn) || isWithin(folder, home) || parent(folder) === "/";
  if (isTooWide || isPrivatePath(path)) return isTree || path === "/" ? undefined : written(path, startedIn);
  return `${written(folder, startedIn)}/**`;
}

/** An absolute path as a pattern that means only itself. */
function written(path: string, startedIn: string): string {
  const escaped = (absolute: string) => absolute.split("/").map(escapeSegment).join("/");
  const isInside = startedIn !== "/" && isWithin(startedIn, path) && path !== startedIn;
  return isInside ? escaped(path.slice(startedIn.length)) : `/${escaped(path)}`;
}
