import { isWithin, parent } from "../../tool/index.ts";
import type { Workspace } from "../decision.ts";
import { isPrivatePath } from "../guard/private.ts";
import { escapeSegment } from "../pattern/segment.ts";

/** Patterns as a person would write them: `/src/**` below the folder in which the session started, `//abs/**` elsewhere. */
export interface PathPatterns {
  /** The file alone. Absent for a tree. */
  readonly file?: string;
  /** The folder of the file, or the tree itself. Absent if that would allow too much. */
  readonly folder?: string;
}

/**
 * The patterns that cover a path. The folder pattern is absent for a private file. It is also absent for a file
 * directly in the session's folder, in a home, in the root or in a child of the root.
 */
export function pathPatterns(path: string, isTree: boolean, workspace: Workspace): PathPatterns {
  const folder = isTree ? path : parent(path);
  const { startedIn, home } = workspace;
  const isTooWide = isWithin(folder, startedIn) || isWithin(folder, home) || parent(folder) === "/";
  return {
    ...(isTree || path === "/" ? {} : { file: written(path, startedIn) }),
    ...(isTooWide || isPrivatePath(path) ? {} : { folder: `${written(folder, startedIn)}/**` }),
  };
}

/** An absolute path as a pattern that means only itself. */
function written(path: string, startedIn: string): string {
  const escaped = (absolute: string) => absolute.split("/").map(escapeSegment).join("/");
  const isInside = startedIn !== "/" && isWithin(startedIn, path) && path !== startedIn;
  return isInside ? escaped(path.slice(startedIn.length)) : `/${escaped(path)}`;
}
