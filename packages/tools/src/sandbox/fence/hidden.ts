import { readdirSync } from "node:fs";
import { type BoundHole, fail, isWithin, parent } from "@haft/core/tool";
import type { Guards } from "./guards.ts";
import { isReadable, namedSockets } from "./kernel.ts";
import { privatePlaces } from "./private.ts";
import { type RealPlace, realPlaces } from "./real.ts";
import { join, type TreeReader } from "./tree.ts";

/** Most sockets that are hidden: each is a mount. */
export const MAX_SOCKETS = 200;

export interface HiddenRequest {
  readonly home: string;
  readonly guards: Guards;
  /** What settings and the host hide besides. */
  readonly names: readonly string[];
  /** The workspace and what is writable: what lies there is found by the survey. */
  readonly open: readonly string[];
  /** Folders that are empty inside: nothing in them needs hiding, but where `seen` shows it. */
  readonly fresh: readonly string[];
  readonly seen: readonly string[];
  readonly trees: TreeReader;
}

/** What outside the workspace has to be hidden: private places, sockets, and what rules take out of the home folder. */
export async function hiddenOutside(request: HiddenRequest): Promise<readonly RealPlace[]> {
  const { home, guards, names, open, fresh, seen, trees } = request;
  const isIn = (folders: readonly string[], path: string) => folders.some((folder) => isWithin(folder, path));
  const isElsewhere = ({ path }: RealPlace) => !open.includes(path) && (!isIn(fresh, path) || isIn(seen, path));
  const places = (await realPlaces([...privatePlaces(home), ...names])).filter(isElsewhere).filter(isWorthHiding);
  const sockets = (await namedSockets(open)).map((path) => ({ path, isFolder: false })).filter(isElsewhere);
  if (sockets.length > MAX_SOCKETS)
    fail(
      "sandbox_unavailable",
      `This machine has ${sockets.length} open sockets in its file system, more than can be hidden.`,
      `Close programs until there are at most ${MAX_SOCKETS}.`,
    );
  const holes = guards.holes.length === 0 ? [] : await holesIn(home, guards.holes, trees);
  return [
    // A folder stays hidden although something in it is opened: that is put back.
    ...places.filter(({ path, isFolder }) => !(isFolder ? guards.isNamed(path) : guards.isOpened(path))),
    ...sockets,
    ...holes.filter(({ path }) => !open.some((folder) => isWithin(path, folder) || isWithin(folder, path))),
  ];
}

/** What the caller may not read needs no mount, and a folder with nothing in it has nothing to hide. */
function isWorthHiding({ path, isFolder }: RealPlace): boolean {
  if (!isReadable(path)) return false;
  if (!isFolder) return true;
  try {
    return readdirSync(path).length > 0;
  } catch {
    return false;
  }
}

async function holesIn(home: string, holes: readonly BoundHole[], trees: TreeReader): Promise<readonly RealPlace[]> {
  const isIn = (path: string) => holes.some((hole) => hole.do === "read" && hole.matches(path));
  const { folders } = await trees.read(home);
  const near = [...folders].filter(([folder]) => folder === home || parent(folder) === home);
  return near.flatMap(([folder, entries]) =>
    entries.flatMap(({ name, kind }) => {
      const path = join(folder, name);
      const isHole = isIn(path) || (kind === "folder" && isIn(join(path, "\u0001any")));
      return isHole && kind !== "link" ? [{ path, isFolder: kind === "folder" }] : [];
    }),
  );
}
