import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { hasOpenPaths } from "../../host/files/open.ts";
import { openPlace } from "../image/exact.ts";
import { holds, type Image, modeOf, statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Change } from "../store/record.ts";
import type { Folders, Place } from "./folders.ts";
import { makePipe } from "./pipe.ts";
import type { Supply } from "./supply.ts";

/** One step at one path. */
export interface Step {
  readonly change: Change;
  readonly place: Place;
  /** What lay there when somebody last asked whether it may be changed. Nothing else is ever taken away. */
  readonly seen: BigIntStats | undefined;
  /** Part of the names of temporary files, another for each step. */
  readonly name: string;
}

/** The names of what is being made, and of what is being taken away. After a kill `recover` finds both. */
export const temporaryName = (name: string): string => `.haft-${name}.tmp`;
export const displacedName = (name: string): string => `.haft-${name}.old`;

const MEANWHILE = "It was changed by others in this very moment.";

/** Takes away what shall not be there any more. */
export function remove({ change: { before, after }, place, seen, name }: Step): void {
  if (before.type === "tree") moveAway(place, before, seen);
  else if (before.type === "folder") rmdirSync(toSystem(place.own));
  else if (after.type === "none") unlinkSync(toSystem(setAside(place, name, seen)));
}

/**
 * Gives something its temporary name and looks whether it is what was seen. If somebody has put another thing there, that
 * gets its name back.
 */
function setAside(place: Place, name: string, seen: BigIntStats | undefined): string {
  const aside = place.beside(displacedName(name));
  if (seen?.isDirectory()) throw new Error(MEANWHILE);
  renameSync(toSystem(place.own), toSystem(aside));
  if (isSame(statOf(aside), seen)) return aside;
  // Fails where the name is taken again; then both things are kept.
  linkSync(toSystem(aside), toSystem(place.own));
  unlinkSync(toSystem(aside));
  throw new Error(MEANWHILE);
}

/** A whole folder goes where it is kept. */
function moveAway(place: Place, { kept }: Extract<Image, { type: "tree" }>, seen: BigIntStats | undefined): void {
  if (kept === undefined) throw new Error("There is no place to keep it.");
  renameSync(toSystem(place.own), toSystem(kept));
  if (isSame(statOf(kept), seen)) return;
  renameSync(toSystem(kept), toSystem(place.own));
  throw new Error(MEANWHILE);
}

const isSame = (now: BigIntStats | undefined, seen: BigIntStats | undefined): boolean =>
  now !== undefined && now.ino === seen?.ino && now.dev === seen.dev;

/** Makes what shall be there. */
export function make(step: Step, supply: Supply, folders: Folders): void {
  const { change, place, name } = step;
  const { after } = change;
  const temporary = place.beside(temporaryName(name));
  const source = supply.source?.(change) ?? (after.type === "tree" ? after.kept : undefined);
  if (source !== undefined) takePlace(step, source);
  else if (after.type === "folder") makeFolder(step, temporary);
  else if (after.type === "file") makeFile(step, supply, folders, temporary);
  else {
    if (after.type === "link") symlinkSync(toSystem(after.target), toSystem(temporary));
    else if (after.type === "pipe") makePipe(temporary, after.mode);
    else throw new Error("It is not kept, or cannot be made again.");
    settle(step, temporary);
  }
}

/** A new folder is open to its owner alone until all that belongs in it is there; then it gets its mode. */
function makeFolder(step: Step, temporary: string): void {
  const { change, place } = step;
  // A killed process may have made it already.
  if (statOf(place.own)?.isDirectory()) return;
  if (change.before.type === "none") {
    mkdirSync(toSystem(place.own), { mode: 0o700 });
    giveBack(place.own, change.after);
  } else {
    mkdirSync(toSystem(temporary), { mode: 0o700 });
    settle(step, temporary);
  }
}

function makeFile(step: Step, supply: Supply, folders: Folders, temporary: string): void {
  const { change, place } = step;
  const { after } = change;
  if (after.type !== "file") return;
  const first = after.linkOf === undefined ? undefined : folders.place(after.linkOf).own;
  if (change.shared) {
    // Written under its other name already, or about to be.
    if (first !== undefined && statOf(first)?.ino === statOf(place.own)?.ino) return;
    fillInPlace(step, supply);
  } else if (first !== undefined && holds(first, after)) {
    // Only when the other name has become what it should: it may be in conflict.
    linkSync(toSystem(first), toSystem(temporary));
    takePlace(step, temporary);
  } else {
    fillWhole(step, supply, temporary);
    settle(step, temporary);
  }
}

/** Writes into the file itself, which is open meanwhile: a link that takes its name leads nobody elsewhere. */
function fillInPlace({ change, place, seen }: Step, supply: Supply): void {
  const descriptor = openSync(toSystem(place.own), constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor, { bigint: true });
    if (!found.isFile() || !isSame(found, seen)) throw new Error(MEANWHILE);
    supply.fill(change, hasOpenPaths() ? `/proc/self/fd/${descriptor}` : place.own, true);
    if (change.after.type === "file" && change.after.mode !== undefined) setMode(place.own, change.after.mode);
  } finally {
    closeSync(descriptor);
  }
}

/** A temporary file that the disk has no room for goes again: it would keep its folder from being removed. */
function fillWhole({ change }: Step, supply: Supply, temporary: string): void {
  try {
    supply.fill(change, temporary, false);
  } catch (thrown) {
    removeQuietly(temporary);
    throw thrown;
  }
}

/** Gives what is finished under a temporary name its place. */
function settle(step: Step, temporary: string): void {
  try {
    giveBack(temporary, step.change.after);
    takePlace(step, temporary);
  } catch (thrown) {
    removeQuietly(temporary);
    throw thrown;
  }
}

/**
 * Moves something to its place. A file, link or pipe takes the place of another one in one step. Where one of them is a
 * folder two steps are needed; after a kill between them there is nothing at the place, which `recover` knows as ours.
 */
function takePlace({ change: { before, after }, place, seen, name }: Step, from: string): void {
  const move = () => renameSync(toSystem(from), toSystem(place.own));
  const isFolder = after.type === "folder" || after.type === "tree";
  // Nothing is there, as after a kill between the two steps.
  if (seen === undefined) move();
  else if (before.type === "tree") {
    moveAway(place, before, seen);
    orElse(move, () => renameSync(toSystem(before.kept ?? ""), toSystem(place.own)));
  } else if (before.type === "folder" && !isFolder) {
    rmdirSync(toSystem(place.own));
    orElse(move, () => mkdirSync(toSystem(place.own), { mode: before.mode }));
  } else if (before.type !== "none" && isFolder && before.type !== "folder") {
    const aside = setAside(place, name, seen);
    orElse(move, () => renameSync(toSystem(aside), toSystem(place.own)));
    unlinkSync(toSystem(aside));
  } else move();
}

function orElse(step: () => void, back: () => void): void {
  try {
    step();
  } catch (thrown) {
    back();
    throw thrown;
  }
}

function removeQuietly(path: string): void {
  try {
    if (statOf(path)?.isDirectory()) rmdirSync(toSystem(path));
    else unlinkSync(toSystem(path));
  } catch {
    // It was never made.
  }
}

/** Owner and mode. Only root may give a file away; others keep it. Changing the owner clears set-id bits, so it is first. */
function giveBack(place: string, image: Image): void {
  if ("owner" in image && image.owner) {
    try {
      lchownSync(toSystem(place), ...image.owner);
    } catch {
      // Not root.
    }
  }
  if (image.type === "file" && image.mode !== undefined) setMode(place, image.mode);
}

/** Sets the mode of a file or folder, and of nothing that a link leads to. */
export function setMode(place: string, mode: number): void {
  using open = openPlace(place);
  const found = fstatSync(open.descriptor, { bigint: true });
  if ((found.isFile() || found.isDirectory()) && modeOf(found) !== mode) chmodSync(open.way, mode);
}
