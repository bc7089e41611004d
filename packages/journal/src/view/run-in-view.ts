import { rmdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "@haft/core/tool";
import type { Replica, Spawn, Standby } from "@haft/host";
import { placesAsNow } from "@haft/sandbox";
import { statOf } from "../image/image.ts";
import { namesIn } from "../image/tree.ts";
import { newId } from "../store/record.ts";
import {
  claimView,
  createView,
  isClone,
  type Variant,
  type View,
  type ViewOwner,
  viewsIn,
  withinView,
} from "./mount.ts";
import { openFolders } from "./open-folders.ts";
import { upperOf } from "./supply.ts";

/** A command that runs in a view, from its plan to its end. */
export interface Viewing {
  /** Folder that contains the layers of views. */
  readonly annex: string;
  readonly root: string;
  readonly variant: Variant;
  readonly owner: Omit<ViewOwner, "variant">;
  /** A sandbox within the view ends the command's leftovers. */
  readonly isFenced: boolean;
  /** Files that the command says it writes. */
  readonly declared: readonly string[];
  /** The view in which it runs. Absent until it starts. */
  view?: View;
  /** Files that the command's sandbox leaves behind in the view, see `Spawn`. */
  mountPoints?: readonly string[];
  /** Views of additional runs that nobody wants to keep. */
  readonly spares: View[];
}

/**
 * The program that runs `command` in a view. The view is created when the program starts. If a command like this may
 * be started before the next one is known, this program may be, too. Its view is then ready without an owner, until
 * the command of `current` takes it.
 */
export function inView(viewing: Viewing, current: () => Viewing | undefined, command: Spawn): Spawn {
  const view = newView(viewing);
  if (command.mountPoints) viewing.mountPoints = command.mountPoints;

  function begin(): void {
    createView(view);
    begun(viewing, view);
  }

  async function again(standby: Standby, inner: Spawn, isFresh?: boolean): Promise<Replica> {
    const { spawn, release } = await standby.again(inner, isFresh);
    const next = newView(viewing);
    createView(next);
    const take = (): void => begun(current() ?? viewing, next);
    return { release, spawn: { ...around(next, spawn), begin: take, unused: () => removeView(next) } };
  }

  function around(place: View, { ahead, ...plain }: Spawn): Spawn {
    const { root, variant, isFenced } = viewing;
    const framed = { ...plain, ...withinView(place, plain, isFenced), isHolder: true };
    // A sandbox knows itself whether it may be started in advance.
    const standby = ahead ?? (isFenced ? undefined : unfenced(root, plain.cwd));
    if (!standby || isClone(variant)) return framed;
    const likeness = JSON.stringify(["view", root, variant, standby.likeness]);
    return { ...framed, ahead: { likeness, again: (inner, isFresh) => again(standby, inner, isFresh) } };
  }

  return { ...around(view, command), begin };
}

/** A program without a sandbox, in a view of the same folders. */
const unfenced = (root: string, cwd: string): Standby => ({
  likeness: placesAsNow([root, cwd]),
  again: async (spawn) => ({ spawn, release: async () => undefined }),
});

const newView = ({ annex, root, variant }: Viewing): View => ({
  ...{ folder: join(viewsIn(annex), newId()), root, variant },
});

/** A second run of a program, to find out why the first one failed, gets a view that is not kept. */
function begun(viewing: Viewing, view: View): void {
  if (viewing.view) return void viewing.spares.push(view);
  claimView(view, viewing.owner, viewing.declared);
  viewing.view = view;
}

/** Removes the leftover mount points of a finished command's sandbox. No program could write there. */
export function dropMountPoints({ view, mountPoints = [] }: Viewing): void {
  if (!view) return;
  for (const path of mountPoints) {
    const upper = upperOf(view.folder) + path.slice(view.root.length);
    const left = isWithin(view.root, path) && statOf(path) === undefined ? statOf(upper) : undefined;
    if (left?.isFile() && left.size === 0n) unlinkSync(upper);
    else if (left?.isDirectory() && namesIn(upper).length === 0) rmdirSync(upper);
  }
}

/** Removes a view that never had an owner. */
export function removeView({ folder }: View): void {
  try {
    openFolders(folder);
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The next process finds it without an owner.
  }
}
