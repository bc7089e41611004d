import { type BigIntStats, realpathSync } from "node:fs";
import { autoRunFiles, type CapturedFact, protectedPaths } from "@haft/core/policy";
import { type BoundHole, basename, isWithin, parent, resolve } from "@haft/core/tool";
import { isHarmlessConfig } from "@haft/sandbox";
import { linkTarget, modeOf, readWhole, statOf } from "../image/image.ts";
import { namesIn } from "../image/tree.ts";
import type { Change } from "../store/record.ts";
import { addsOnlyNames } from "./git-config.ts";
import { changesLifecycle } from "./lifecycle.ts";

/** The place and rules for inspecting the changes of a view. */
export interface Inspection {
  readonly root: string;
  /** Folders outside the root into which links may point. */
  readonly additional?: readonly string[];
  /** Path of a changed file's new content: in the upper layer. */
  upper(path: string): string;
  /** Paths that rules exclude from the grant. */
  readonly holes?: readonly BoundHole[];
}

/** The names to look for. Built at first use, so that an import alone costs nothing. */
const names = () => {
  made ??= {
    protection: protectedPaths(),
    runsLater: autoRunFiles(),
    runsLaterByItself: autoRunFiles({ programs: false }),
  };
  return made;
};
let made:
  | (Record<"runsLater" | "runsLaterByItself", ReturnType<typeof autoRunFiles>> & {
      readonly protection: ReturnType<typeof protectedPaths>;
    })
  | undefined;

/** Whether a path's name runs automatically or configures tools. Excludes git's ordinary work in its folder. */
export const isGuardedName = (path: string): boolean => isGuardedBy("runsLater", path);

/** The same without programs, which an approved installer puts in place. */
export const isWithheldName = (path: string): boolean => isGuardedBy("runsLaterByItself", path);

const isGuardedBy = (which: "runsLater" | "runsLaterByItself", path: string): boolean =>
  names().protection.isHeldOut(path) || names()[which](path) !== undefined;

/** Facts about a change that its content shows and its name does not. */
export function inspect(change: Change, at: Inspection): CapturedFact {
  const doubt = doubtAbout(change, at);
  if (doubt !== undefined) return { doubt };
  return isGuardedName(change.path) && isHarmless(change, at) ? { harmless: true } : {};
}

function doubtAbout({ path, before, after }: Change, at: Inspection): string | undefined {
  if (before.type === "lost") return `The old content of ${path} cannot be saved for undo: ${before.why}`;
  if (before.type === "other") return `${path} is a ${before.what}, which cannot be restored.`;
  if (after.type === "pipe") return waitingPipe(path);
  if (after.type === "file" && ((after.mode ?? 0) & 0o6000) !== 0) return ownersRights(path);
  if (after.type === "link" && !staysInside(path, after.target, at)) return leadsOut(path, after.target);
  if (after.type === "tree")
    return firstDoubt(path, at, (inner, found) => closedName(inner, path, at) ?? oddKind(inner, found, at));
  return undefined;
}

function staysInside(path: string, target: string, { root, additional = [] }: Inspection): boolean {
  const named = resolve(parent(path), target);
  // An existing link may lead further.
  return [named, realOf(named)].every((place) => [root, ...additional].some((folder) => isWithin(folder, place)));
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Whether a whole new folder contains a name that runs automatically, configures tools, or is under a deny or ask rule. */
export const holdsGuardedName = (folder: string, at: Inspection): boolean =>
  firstDoubt(folder, at, (path) => (isWithheldName(path) || isClosedName(path, at) ? path : undefined)) !== undefined;

/** Searches a whole new folder. One doubtful entry makes the whole folder doubtful. */
function firstDoubt(
  folder: string,
  at: Inspection,
  doubtOf: (path: string, found: BigIntStats) => string | undefined,
): string | undefined {
  for (const name of namesIn(at.upper(folder))) {
    const path = `${folder}/${name}`;
    const found = statOf(at.upper(path));
    if (found === undefined) continue;
    const doubt = doubtOf(path, found) ?? (found.isDirectory() ? firstDoubt(path, at, doubtOf) : undefined);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}

/** Whether a rule excludes a path from the write grant. */
export const isClosedName = (path: string, { holes = [] }: Inspection): boolean =>
  holes.some((hole) => hole.do === "write" && hole.matches(path));

function closedName(path: string, folder: string, at: Inspection): string | undefined {
  return isGuardedName(path) || isClosedName(path, at)
    ? `${path} in the new folder ${folder} runs automatically, configures tools, or is under a deny or ask rule.`
    : undefined;
}

/** Kinds that are doubtful on their own, too: setuid and setgid files, links that lead out, and special files. */
function oddKind(path: string, found: BigIntStats, at: Inspection): string | undefined {
  if (found.isFile()) return (modeOf(found) & 0o6000) === 0 ? undefined : ownersRights(path);
  if (found.isDirectory()) return undefined;
  if (!found.isSymbolicLink()) return waitingPipe(path);
  const target = linkTarget(at.upper(path));
  return staysInside(path, target, at) ? undefined : leadsOut(path, target);
}

const ownersRights = (path: string): string => `${path} would run with its owner's rights.`;
const waitingPipe = (path: string): string => `${path} is a pipe: a program that opens it hangs.`;
const leadsOut = (path: string, target: string): string => `${path} is a link to ${target}, outside the workspace.`;

/** Whether the new content of a guarded name neither runs nor governs anything. In doubt, it is not harmless. */
function isHarmless(change: Change, at: Inspection): boolean {
  const { path, before, after } = change;
  const name = basename(path);
  if (name === "package.json")
    return after.type === "file" && !changesLifecycle(textOf(path, before), newText(change, at));
  if (after.type === "none") return false;
  if (name === ".git") return after.type === "folder" || leadsInside(newText(change, at), path, at);
  if (!path.includes("/.git/")) return false;
  if (name === "config" || name === "config.worktree") return isHarmlessGitConfig(change, at);
  if (name === "commondir")
    return newText(change, at)?.trim() === "../.." && /\/worktrees\/[^/]+\/commondir$/.test(path);
  if (after.type === "folder") return before.type === "none" || before.type === "folder";
  return parent(path).endsWith("/hooks") && name.endsWith(".sample") && before.type === "none";
}

function isHarmlessGitConfig(change: Change, at: Inspection): boolean {
  const text = newText(change, at);
  if (text === undefined) return false;
  if (change.before.type === "none") return isHarmlessConfig(text);
  const old = textOf(change.path, change.before);
  return old !== undefined && addsOnlyNames(old, text);
}

/** A `.git` file names another folder. It is harmless if that folder is inside a `.git` of the workspace. */
function leadsInside(text: string | undefined, path: string, { root }: Inspection): boolean {
  const target = /^gitdir: (.+)\s*$/.exec(text ?? "")?.[1]?.trim();
  if (target === undefined) return false;
  const named = resolve(parent(path), target);
  return /\/\.git\/(?:modules|worktrees)\//.test(named) && isWithin(root, named);
}

const newText = ({ path, after }: Change, { upper }: Inspection): string | undefined => textOf(upper(path), after);

/** The text of a small regular file; "" for a missing file; `undefined` for everything else. */
function textOf(path: string, image: Change["after"]): string | undefined {
  if (image.type === "none") return "";
  if (image.type !== "file" || image.size > 1024 * 1024) return undefined;
  try {
    return readWhole(path).bytes.toString("utf8");
  } catch {
    return undefined;
  }
}
