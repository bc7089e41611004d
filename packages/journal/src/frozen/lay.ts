import { chmodSync, linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parent } from "@haft/core/tool";
import { readAttributes, writeAttributes } from "@haft/host/files";
import { writeExtracted } from "../base/extract.ts";
import { modeOf, statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Ledger } from "../ledger.ts";
import { createView, type View, viewsIn } from "../view/mount.ts";
import { upperOf } from "../view/supply.ts";
import { type Compared, type Copy, inCopy } from "./compare.ts";

/** The part of an agent's changes that goes into one view. */
export interface Layer extends Pick<Compared, "known" | "marks"> {
  readonly taken: readonly string[];
  readonly merged: ReadonlyMap<string, Buffer>;
  readonly removed: readonly string[];
  /** The time at which the workspace was compared, on the clock of its file system. */
  readonly since: bigint;
}

/** The view for a part of the changes of a copy. Its name tells the copy. */
export const viewOf = ({ root, annex }: Ledger, name: string): View => ({
  ...{ folder: join(viewsIn(annex!), name), root },
  variant: process.geteuid?.() === 0 ? "root-clone" : "user-clone",
});

/**
 * Puts changes of a copy into a folder like the upper layer of a view. From there they are applied, held and recovered
 * as those of any command. The copy stays as it is.
 */
export function layView(copy: Copy, view: View, { taken, merged, removed, known, marks, since }: Layer): void {
  createView(view);
  const upper = upperOf(view.folder);
  const inUpper = (path: string): string => upper + path.slice(copy.root.length);
  const folders: string[] = [];
  const alone: string[] = [];

  function makeFolder(path: string): void {
    if (path === copy.root || statOf(inUpper(path))) return;
    makeFolder(parent(path));
    mkdirSync(toSystem(inUpper(path)), { mode: 0o700 });
    folders.push(path);
  }

  for (const path of taken) {
    makeFolder(parent(path));
    if (statOf(inCopy(copy, path))?.isDirectory()) makeFolder(path);
    else linkSync(toSystem(inCopy(copy, path)), toSystem(inUpper(path)));
  }
  for (const [path, bytes] of merged) {
    makeFolder(parent(path));
    writeFileSync(toSystem(inUpper(path)), bytes, { flag: "wx", mode: 0o600 });
    alone.push(path);
  }
  // A folder above a change keeps what it has in the workspace, unless the agent changed the folder, too.
  const own = new Set(taken);
  const from = [...folders, ...alone].map((path) => (own.has(path) || !statOf(path) ? inCopy(copy, path) : path));
  const attributes = readAttributes(from.map(toSystem)) ?? new Map();
  const all = [...folders, ...alone];
  writeAttributes([...attributes].map(([index, one]) => ({ path: inUpper(all[index] ?? ""), attributes: one })));
  // Last: until then, entries had to be made in them.
  for (const [index, path] of [...all.entries()].reverse()) {
    const found = statOf(from[index] ?? "");
    if (found) chmodSync(toSystem(inUpper(path)), modeOf(found));
  }
  writeExtracted(view.folder, { removed, known, inPlace: new Set(), marks, since });
}
