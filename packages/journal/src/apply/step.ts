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
import { hasOpenPaths, writeAttributes } from "@haft/host/files";
import { openPlace, ReplacedError } from "../image/exact.ts";
import { holds, type Image, isForeign, modeOf, type Owner, statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Change } from "../store/record.ts";
import type { Folders, Place } from "./folders.ts";
import { makePipe } from "./pipe.ts";
import type { Supply } from "./supply.ts";

/** One step at one path. */
export interface Step {
  readonly change: Change;
  readonly place: Place;
  /** The entry at the path when its change was last approved. Nothing else is ever removed. */
  readonly seen: BigIntStats | undefined;
  /** Other names of the wanted file. The first one may not have its content yet. */
  readonly others: readonly string[];
  /** Part of the names of temporary files; unique for each step. */
  readonly name: string;
}

/** The names of a new entry and of a displaced one. After a kill, `recover` finds both. */
export const temporaryName = (name: string): string => `.haft-${name}.tmp`;
export const displacedName = (name: string): string => `.haft-${name}.old`;

const MEANWHILE = "Others changed it at the same moment.";

/** Removes an entry that should no longer exist. */
export function remove({ change, place, seen, name }: Step, supply: Supply): void {
  const { before, after } = change;
  if (before.type === "tree") moveAway(place, before, seen);
  else if (before.type === "folder") rmdirSync(toSystem(place.own));
  else if (after.type === "none") {
    const aside = setAside(place, name, seen);
    // A disk that fails here may still give the entry its name back. Otherwise the next process finds it.
    orElse(
      () => putAway(change, supply, aside),
      () => renameSync(toSystem(aside), toSystem(place.own)),
    );
  }
}

/** Removes a displaced entry under its temporary name. A file is kept for undo, if there is a place for it. */
function putAway(change: Change, supply: Supply, aside: string): void {
  if (!supply.retire?.(change, aside)) unlinkSync(toSystem(aside));
}

/** Gives an existing file or folder its mode and owner; its content stays as it is. */
export function adjust({ change, place }: Step): void {
  const { after } = change;
  giveBack(place.own, withOwner(change));
  if (after.type === "folder") setMode(place.own, after.mode);
}

/** The wanted state of an entry that stays the same one: its owner may have to become this process again. */
function withOwner({ before, after }: Change): Image {
  if (after.type !== "file" && after.type !== "folder") return after;
  const isOwned = after.owner !== undefined || ("owner" in before && before.owner !== undefined);
  return isOwned ? { ...after, owner: after.owner ?? ownOwner() } : after;
}

const ownOwner = (): Owner => [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];

/**
 * Renames an entry to its temporary name and checks whether it is the one that was seen. If somebody has put another
 * entry there, that one gets its name back.
 */
function setAside(place: Place, name: string, seen: BigIntStats | undefined): string {
  const aside = place.beside(displacedName(name));
  if (seen?.isDirectory()) throw new Error(MEANWHILE);
  renameSync(toSystem(place.own), toSystem(aside));
  if (isSame(statOf(aside), seen)) return aside;
  // Fails if the name is taken again; then both entries are kept.
  linkSync(toSystem(aside), toSystem(place.own));
  unlinkSync(toSystem(aside));
  throw new Error(MEANWHILE);
}

/** Moves a whole folder to where it is kept. */
function moveAway(place: Place, { kept }: Extract<Image, { type: "tree" }>, seen: BigIntStats | undefined): void {
  if (kept === undefined) throw new Error("There is no place to store it.");
  renameSync(toSystem(place.own), toSystem(kept));
  if (isSame(statOf(kept), seen)) return;
  renameSync(toSystem(kept), toSystem(place.own));
  throw new Error(MEANWHILE);
}

const isSame = (now: BigIntStats | undefined, seen: BigIntStats | undefined): boolean =>
  now !== undefined && now.ino === seen?.ino && now.dev === seen.dev;

/** Creates the wanted entry. */
export function make(step: Step, supply: Supply, folders: Folders): void {
  const { change, place, name } = step;
  const { after } = change;
  const temporary = place.fresh(temporaryName(name));
  const source = supply.source?.(change) ?? (after.type === "tree" ? after.kept : undefined);
  const other = otherName(step, folders);
  // An original of its own would no longer be the same file as its other names.
  if (source !== undefined && (other === undefined || statOf(source)?.ino === statOf(other)?.ino)) {
    giveBack(source, after);
    takePlace(step, source, supply);
  } else if (other !== undefined) linkTo(step, other, supply);
  else if (after.type === "folder") makeFolder(step, supply, temporary);
  else if (after.type === "file") makeFile(step, supply, folders, temporary);
  else {
    if (after.type === "link") symlinkSync(toSystem(after.target), toSystem(temporary));
    else if (after.type === "pipe") makePipe(temporary, after.mode);
    else throw new Error("The journal does not have it, or it cannot be recreated.");
    settle(step, supply, temporary);
  }
}

/** A new folder is accessible only to its owner until its content is complete; then it gets its mode. */
function makeFolder(step: Step, supply: Supply, temporary: string): void {
  // A killed process may have created it already.
  if (statOf(step.place.own)?.isDirectory()) return;
  mkdirSync(toSystem(temporary), { mode: 0o700 });
  settle(step, supply, temporary);
}

/** The place of another name of the wanted file that has its final content already. */
function otherName({ change: { after, shared }, others }: Step, folders: Folders): string | undefined {
  if (shared) return undefined;
  return placesOf(others, folders).find((own) => holds(own, after));
}

/** Without those whose folder is gone. */
const placesOf = (paths: readonly string[], folders: Folders): readonly string[] =>
  paths.flatMap((path) => {
    try {
      return [folders.place(path).own];
    } catch (thrown) {
      if (thrown instanceof ReplacedError) return [];
      throw thrown;
    }
  });

function linkTo(step: Step, other: string, supply: Supply): void {
  const { place, name } = step;
  // A rename onto another name of the same file would do nothing.
  if (statOf(other)?.ino === statOf(place.own)?.ino) return;
  const temporary = place.beside(temporaryName(name));
  linkSync(toSystem(other), toSystem(temporary));
  placeOrRemove(step, supply, temporary);
}

function makeFile(step: Step, supply: Supply, folders: Folders, temporary: string): void {
  const { change, place, others } = step;
  if (change.shared) {
    // Already written under its other name, or about to be.
    const [first] = placesOf(others, folders);
    if (first === undefined || statOf(first)?.ino !== statOf(place.own)?.ino) fillInPlace(step, supply);
  } else {
    fillWhole(step, supply, temporary);
    settle(step, supply, temporary);
  }
}

/** Writes into the file itself through a descriptor. A link that meanwhile takes its name cannot redirect the write. */
function fillInPlace({ change, place, seen }: Step, supply: Supply): void {
  const descriptor = openSync(toSystem(place.own), constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor, { bigint: true });
    if (!found.isFile() || !isSame(found, seen)) throw new Error(MEANWHILE);
    const { mode } = change.after as { readonly mode?: number };
    if (isForeign(found) && mode !== undefined && mode !== modeOf(found))
      throw new Error("Only its owner may set its mode.");
    supply.fill(change, hasOpenPaths() ? `/proc/self/fd/${descriptor}` : place.own, true);
    giveBack(place.own, withOwner(change));
  } finally {
    closeSync(descriptor);
  }
}

/** Removes a temporary file for which the disk has no room: it would keep its folder from being removed. */
function fillWhole({ change }: Step, supply: Supply, temporary: string): void {
  try {
    supply.fill(change, temporary, false);
  } catch (thrown) {
    removeQuietly(temporary);
    throw thrown;
  }
}

/** Moves a temporary entry with the right content to its place. */
function settle(step: Step, supply: Supply, temporary: string): void {
  placeOrRemove(step, supply, temporary, () => giveBack(temporary, step.change.after));
}

function placeOrRemove(step: Step, supply: Supply, temporary: string, finish?: () => void): void {
  try {
    finish?.();
    takePlace(step, temporary, supply);
  } catch (thrown) {
    removeQuietly(temporary);
    throw thrown;
  }
}

/**
 * Moves an entry to its place. A file, link or pipe replaces another one in one step. If one of them is a folder, two
 * steps are needed. After a kill between them the place is empty, which `recover` recognizes as our own state.
 */
function takePlace({ change, place, seen, name }: Step, from: string, supply: Supply): void {
  const { before, after } = change;
  const move = () => renameSync(toSystem(from), toSystem(place.own));
  const isFolder = after.type === "folder" || after.type === "tree";
  // The place is empty, as after a kill between the two steps.
  if (seen === undefined) move();
  else if (before.type === "tree") {
    moveAway(place, before, seen);
    orElse(move, () => renameSync(toSystem(before.kept ?? ""), toSystem(place.own)));
  } else if (before.type === "folder" && !isFolder) {
    rmdirSync(toSystem(place.own));
    orElse(move, () => makeAgain(change.path, place, before));
  } else if (before.type !== "none" && isFolder && before.type !== "folder") {
    const aside = setAside(place, name, seen);
    const back = () => renameSync(toSystem(aside), toSystem(place.own));
    orElse(move, back);
    orElse(
      () => putAway(change, supply, aside),
      () => {
        renameSync(toSystem(place.own), toSystem(from));
        back();
      },
    );
  } else {
    // Originals are found by content: one with the same content would take the place of the one that is moved here.
    if (!hasSameContent(before, after)) supply.preserve?.(change, place.own);
    move();
  }
}

/** Makes a folder again that was removed for something that could not take its place. */
function makeAgain(path: string, { own }: Place, before: Extract<Image, { type: "folder" }>): void {
  mkdirSync(toSystem(own), { mode: 0o700 });
  giveBack(own, before);
  setMode(own, before.mode);
  if (before.attributes) writeAttributes([{ path: toSystem(path), attributes: before.attributes }]);
}

const hasSameContent = (before: Image, after: Image): boolean =>
  before.type === "file" && after.type === "file" && before.hash === after.hash;

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
    // It was never created.
  }
}

/**
 * Sets owner and mode. Only root may give a file away; for others, the owner stays. Changing the owner clears set-id
 * bits, so it comes first.
 */
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

/** Sets the mode of a file or folder. Does not follow a link. */
export function setMode(place: string, mode: number): void {
  using open = openPlace(place);
  const found = fstatSync(open.descriptor, { bigint: true });
  if ((found.isFile() || found.isDirectory()) && modeOf(found) !== mode) chmodSync(open.way, mode);
}
