import { isWithin } from "../../tool/index.ts";
import type { Workspace } from "../decision.ts";
import { publicPlaces } from "../guard/public.ts";
import type { PathFold } from "../pattern/path-fold.ts";

/** Where a call may read and write without leaving the workspace. Paths are real. */
export interface Area {
  isReadable(path: string): boolean;
  isWritable(path: string): boolean;
}

/**
 * The workspace as modes see it: its root, the folder in which the session started, added folders, and for reading
 * Haft's own. The current folder belongs to it only as a part of these: a `cd` takes a session elsewhere, it does not
 * take the workspace along. What everybody may read may be read from anywhere.
 */
export function workspaceArea(workspace: Workspace, fold: PathFold): Area {
  const writable = [workspace.root, workspace.startedIn, ...workspace.additional].map(fold.path);
  const readable = [...writable, ...(workspace.readable ?? []).map(fold.path)];
  const isPublic = publicPlaces(workspace, fold);
  return {
    isReadable: (path) => isInAny(readable, fold.path(path)) || isPublic(fold.path(path)),
    isWritable: (path) => isInAny(writable, fold.path(path)),
  };
}

const isInAny = (folders: readonly string[], path: string): boolean => folders.some((folder) => isWithin(folder, path));
