import { rmdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "@haft/core/tool";
import type { Replica, Spawn, Standby } from "../../host/index.ts";
import { statOf } from "../image/image.ts";
import { namesIn } from "../image/tree.ts";
import { claimView, createView, type Variant, type View, type ViewOwner, viewsIn, withinView } from "./mount.ts";
import { openFolders } from "./open-folders.ts";
import { upperOf } from "./supply.ts";

/** A command that is to run in a view, from its plan to its end. */
export interface Viewing {
  /** Where the layers of views lie. */
  readonly annex: string;
  readonly root: string;
  readonly variant: Variant;
  readonly owner: Omit<ViewOwner, "variant">;
  /** A sandbox within the view ends what the command leaves running. */
  readonly isFenced: boolean;
  newId(): string;
  /** Where it runs. Absent as long as it has not begun. */
  view?: View;
  /** What the sandbox of the command leaves behind in the view, see `Spawn`. */
  mountPoints?: readonly string[];
  /** Where something ran besides, that nobody wants to keep. */
  readonly spares: View[];
}

/**
 * The program that runs `command` in a view, which is made when it begins. Where the like of `command` may be started before
 * the next command is known, this may be too: its view stands ready and belongs to nobody, until the command of `current`
 * takes it.
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
    if (!ahead) return framed;
    const likeness = JSON.stringify(["view", root, variant, ahead.likeness]);
    return { ...framed, ahead: { likeness, again: (inner, isFresh) => again(ahead, inner, isFresh) } };
  }

  return { ...around(view, command), begin };
}

const newView = ({ annex, root, variant, newId }: Viewing): View => ({
  ...{ folder: join(viewsIn(annex), newId()), root, variant },
});

/** What is started a second time, to find out why the first went wrong, changes nothing that anybody wants. */
function begun(viewing: Viewing, view: View): void {
  if (viewing.view) return void viewing.spares.push(view);
  claimView(view, viewing.owner);
  viewing.view = view;
}

/** Takes away what the sandbox of a finished command left, as if it had never been: no program could write there. */
export function dropMountPoints({ view, mountPoints = [] }: Viewing): void {
  if (!view) return;
  for (const path of mountPoints) {
    const upper = upperOf(view.folder) + path.slice(view.root.length);
    const left = isWithin(view.root, path) && statOf(path) === undefined ? statOf(upper) : undefined;
    if (left?.isFile() && left.size === 0n) unlinkSync(upper);
    else if (left?.isDirectory() && namesIn(upper).length === 0) rmdirSync(upper);
  }
}

/** Removes a view that was nobody's. */
export function removeView({ folder }: View): void {
  try {
    openFolders(folder);
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The next process finds that it is nobody's.
  }
}
