import {
  chmodSync,
  closeSync,
  constants,
  lchownSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { parent } from "@haft/core/tool";
import { flush } from "./flush.ts";
import { holds, type Image, statOf } from "./image/image.ts";
import { toSystem } from "./image/raw-path.ts";
import { makePipe } from "./pipe.ts";
import type { Change, Loss } from "./store/record.ts";

/** Where the wanted content comes from. */
export interface Supply {
  /** Part of the names of temporary files, so that those of a killed process can be found. */
  readonly tag: string;
  /** Puts the content of `change.after`, a file, at `path`. With `over`, into the file that is there. */
  fill(change: Change, path: string, over: boolean): void;
  /** Where the finished `change.after` may be moved from, with its mode and owner; `undefined`: it is made. */
  source?(change: Change): string | undefined;
  /**
   * Puts finished files in the place of files that are there, each in one step. Where it was done, with where the old
   * file is now; the same once more takes it back.
   */
  exchange?(changes: readonly Change[]): ReadonlyMap<string, string>;
  /** Last look before a path is touched, or at where its old file is now: says why it must not be. */
  refuses?(change: Change, at?: string): string | undefined;
}

/** Paths between two breaths for the event loop. */
const STRIDE = 500;

/**
 * Makes every path what its `after` says. Each path changes in one step; what cannot be changed is left as it is and
 * told. First all removals, the deepest first; then what is made, folders before what is in them; then folders' modes; then
 * new contents go to the disk.
 */
export async function applyChanges(changes: readonly Change[], supply: Supply): Promise<readonly Loss[]> {
  const failed = new Map<string, string>();
  const touched = new Set<string>();
  const upwards = [...changes].sort((a, b) => (a.path < b.path ? 1 : -1));
  const downwards = [...upwards].reverse();
  let done = 0;

  async function each(chosen: readonly Change[], step: (change: Change) => void): Promise<void> {
    for (const change of chosen) {
      if (failed.has(change.path)) continue;
      if (++done % STRIDE === 0) await breathe();
      try {
        const reason = isRealFolder(parent(change.path)) ? undefined : "A folder above it is gone or is a link now.";
        const refused = reason ?? (touched.has(change.path) ? undefined : supply.refuses?.(change));
        touched.add(change.path);
        if (refused === undefined) step(change);
        else failed.set(change.path, refused);
      } catch (thrown) {
        failed.set(change.path, reasonOf(thrown));
      }
    }
  }

  /** Files that take the place of files; what was displaced is looked at afterwards, when nobody can change it. */
  function exchangeAll(exchange: NonNullable<Supply["exchange"]>): ReadonlySet<string> {
    const isReady = (change: Change) =>
      isReplacement(change) && !failed.has(change.path) && isRealFolder(parent(change.path));
    const ready = downwards.filter(isReady);
    const done = exchange(ready);
    const wrong = ready.filter((change) => {
      const old = done.get(change.path);
      const why = old === undefined ? undefined : supply.refuses?.(change, old);
      if (why !== undefined) failed.set(change.path, why);
      return why !== undefined;
    });
    for (const change of wrong) exchange([change]);
    return new Set(done.keys());
  }

  const closed = downwards.filter(({ before }) => before.type === "folder" && (before.mode & 0o700) !== 0o700);
  await each(closed, openUp);
  await each(upwards.filter(isRemoval), remove);
  // A folder that could not go gets its rights back.
  for (const { path, before } of closed) if (failed.has(path) && before.type === "folder") setMode(path, before.mode);
  let number = 0;
  const exchanged = supply.exchange ? exchangeAll(supply.exchange) : new Set<string>();
  const rest = downwards.filter((change) => isMaking(change) && !exchanged.has(change.path)).sort(byLinks);
  await each(rest, (change) => make(change, supply, ++number));
  await each(
    upwards.filter(({ after }) => after.type === "folder"),
    ({ path, after }) => after.type === "folder" && setMode(path, after.mode),
  );
  flush(changes.filter(({ path }) => !failed.has(path)));
  return [...failed].map(([path, why]) => ({ path, why }));
}

/** Something is there that must go first: nothing takes its place, or something of another type. */
const isRemoval = ({ before, after }: Change): boolean =>
  before.type !== "none" && before.type !== "lost" && before.type !== after.type;

const isMaking = ({ before, after }: Change): boolean =>
  after.type !== "none" && !(after.type === "folder" && before.type === "folder");

const isReplacement = ({ before, after, shared }: Change): boolean =>
  before.type === "file" && after.type === "file" && after.linkOf === undefined && !shared;

/** What is written in place changes under all of its names: those that get a file of their own have it by then, and links come last. */
const byLinks = (a: Change, b: Change): number => linkRank(a) - linkRank(b);
const linkRank = ({ after, shared }: Change): number =>
  after.type === "file" && after.linkOf !== undefined ? 2 : shared ? 1 : 0;

/** A folder that its owner may not write to could not lose its entries. */
function openUp({ path, before }: Change): void {
  if (before.type === "folder") setMode(path, before.mode | 0o700);
}

function remove({ path, before, after }: Change): void {
  if (before.type === "tree") {
    if (before.kept === undefined) throw new Error("There is no place to keep it.");
    renameSync(toSystem(path), toSystem(before.kept));
  } else if (before.type === "folder") rmdirSync(toSystem(path));
  // A rename takes the place of a link, pipe or file in one step.
  else if (after.type === "none" || after.type === "folder" || after.type === "tree") unlinkSync(toSystem(path));
}

function make(change: Change, supply: Supply, number: number): void {
  const { path, after } = change;
  const temporary = `${parent(path)}/${temporaryName(supply.tag, number)}`;
  const source = supply.source?.(change) ?? (after.type === "tree" ? after.kept : undefined);
  if (source !== undefined) renameSync(toSystem(source), toSystem(path));
  else if (after.type === "folder") makeFolder(path, after);
  else if (after.type === "file") makeFile(change, supply, temporary);
  else {
    if (after.type === "link") symlinkSync(toSystem(after.target), toSystem(temporary));
    else if (after.type === "pipe") makePipe(temporary, after.mode);
    else throw new Error("It is not kept, or cannot be made again.");
    settle(temporary, path, after);
  }
}

function makeFolder(path: string, after: Extract<Image, { type: "folder" }>): void {
  if (statOf(path)?.isDirectory()) return;
  mkdirSync(toSystem(path), { mode: 0o700 });
  giveBack(path, after);
}

function makeFile(change: Change, supply: Supply, temporary: string): void {
  const { path, after } = change;
  if (change.shared) {
    // Written under its other name already, or about to be.
    if (after.type === "file" && after.linkOf !== undefined && statOf(after.linkOf)?.ino === statOf(path)?.ino) return;
    supply.fill(change, path, true);
    if (after.type === "file" && after.mode !== undefined) chmodSync(toSystem(path), after.mode);
  } else if (after.type === "file" && after.linkOf !== undefined && canLink(after.linkOf, after)) {
    linkSync(toSystem(after.linkOf), toSystem(temporary));
    renameSync(toSystem(temporary), toSystem(path));
  } else {
    fillWhole(change, supply, temporary);
    settle(temporary, path, after);
  }
}

/** A temporary file that the disk has no room for goes again: it would keep its folder from being removed. */
function fillWhole(change: Change, supply: Supply, temporary: string): void {
  try {
    supply.fill(change, temporary, false);
  } catch (thrown) {
    rmSync(toSystem(temporary), { force: true });
    throw thrown;
  }
}

/** Only when the other name has become what it should: it may be in conflict. */
const canLink = (first: string, image: Image): boolean => isRealFolder(parent(first)) && holds(first, image);

/** Gives a finished temporary file its place. */
function settle(temporary: string, path: string, image: Image): void {
  try {
    giveBack(temporary, image);
    renameSync(toSystem(temporary), toSystem(path));
  } catch (thrown) {
    unlinkSync(toSystem(temporary));
    throw thrown;
  }
}

/** Owner and mode. Only root may give a file away; others keep it. Changing the owner clears set-id bits, so it is first. */
function giveBack(path: string, image: Image): void {
  if ("owner" in image && image.owner) {
    try {
      lchownSync(toSystem(path), ...image.owner);
    } catch {
      // Not root.
    }
  }
  if (image.type === "file" && image.mode !== undefined) chmodSync(toSystem(path), image.mode);
}

function setMode(path: string, mode: number): void {
  const now = statOf(path);
  if (now?.isDirectory() && (Number(now.mode) & 0o7777) !== mode) chmodSync(toSystem(path), mode);
}

const temporaryName = (tag: string, number: number): string => `.haft-${tag}-${number}.tmp`;

/** Whether a folder is where its name says, no link on the way. Asked right before each step: a job may swap it meanwhile. */
function isRealFolder(folder: string): boolean {
  try {
    if (folder.isWellFormed()) return realpathSync.native(folder) === folder;
    closeSync(openSync(toSystem(folder), constants.O_DIRECTORY | constants.O_NOFOLLOW));
    return true;
  } catch {
    return false;
  }
}

/** Why a step failed, for people. */
export function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  const known: Readonly<Record<string, string>> = {
    ENOTEMPTY: "It holds files that the journal does not know.",
    EEXIST: "Something else is there.",
    ENOSPC: "The disk is full.",
    EIO: "The disk does not answer as it should.",
    EACCES: "This user may not change it.",
    EPERM: "This user may not change it.",
    EROFS: "The file system is read-only.",
    EXDEV: "It lies on another file system.",
  };
  return (code !== undefined && known[code]) || message;
}
