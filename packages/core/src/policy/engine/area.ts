import { isWithin } from "../../tool/index.ts";
import type { Workspace } from "../decision.ts";
import { publicPlaces } from "../guard/public.ts";
import type { PathFold } from "../pattern/path-fold.ts";

/** The places that a call may read and write without leaving the workspace. Paths are real. */
export interface Area {
  isReadable(path: string): boolean;
  isWritable(path: string): boolean;
}

/**
 * The workspace as modes see it: its root, the folder in which the session started and added folders. For reading also
 * Haft's own folders. The current folder belongs to it only as a part of these: a `cd` moves the session, but not the
 * workspace. Public files may be read from anywhere.
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
