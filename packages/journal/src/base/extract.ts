import { chmodSync, lchownSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parent } from "@haft/core/tool";
import { readAttributes, writeAttributes } from "@haft/host/files";
import { modeOf, statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Base } from "./base.ts";

/** Facts about a command in a copy that an upper layer cannot hold. By absolute path in the workspace. */
export interface Extracted {
  readonly removed: readonly string[];
  readonly known: ReadonlySet<string>;
  readonly inPlace: ReadonlySet<string>;
  /** The time at which the copy was brought up to date. */
  readonly since: bigint;
  /** The marks that these entries had in the workspace then, and all below them. An entry without one was not there. */
  readonly marks?: ReadonlyMap<string, string>;
}

const noteIn = (view: string): string => join(view, "clone.json");

/**
 * Moves a command's changes out of the copy into a folder like the upper layer of a view. From there they are judged,
 * held or applied as those of any view, and the copy is up to date again after its next refresh.
 */
export function extract(base: Base, root: string, view: string, upper: string): void {
  const { changed, removed, known, inPlace, marks } = base.changes();
  const inCopy = (path: string): string => base.tree + path.slice(root.length);
  const inUpper = (path: string): string => upper + path.slice(root.length);
  const made: string[] = [];

  function makeFolder(path: string): void {
    if (path === root || statOf(inUpper(path))) return;
    makeFolder(parent(path));
    const found = statOf(inCopy(path));
    mkdirSync(toSystem(inUpper(path)), { mode: 0o700 });
    if (!found) return;
    if (process.geteuid?.() === 0) lchownSync(toSystem(inUpper(path)), Number(found.uid), Number(found.gid));
    chmodSync(toSystem(inUpper(path)), modeOf(found) | 0o700);
    made.push(path);
  }

  const moved = new Set<string>();
  for (const path of changed) {
    if (moved.has(parent(path))) moved.add(path);
    else if (known.has(path) && statOf(inCopy(path))?.isDirectory() && !isOtherKind(path)) makeFolder(path);
    else {
      makeFolder(parent(path));
      renameSync(toSystem(inCopy(path)), toSystem(inUpper(path)));
      moved.add(path);
    }
  }
  const attributes = readAttributes(made.map((path) => toSystem(inCopy(path)))) ?? new Map();
  writeAttributes([...attributes].map(([index, all]) => ({ path: inUpper(made[index] ?? ""), attributes: all })));
  // Only now: until then, entries had to be made in them.
  for (const path of made.toReversed()) {
    const found = statOf(inCopy(path));
    if (found) chmodSync(toSystem(inUpper(path)), modeOf(found));
  }
  writeExtracted(view, { removed, known, inPlace, since: base.since, marks });
  base.end([...changed, ...removed]);

  /** Whether a folder stands where the base had something else. */
  function isOtherKind(path: string): boolean {
    return statOf(path)?.isDirectory() === false;
  }
}

export function writeExtracted(view: string, { removed, known, inPlace, since, marks }: Extracted): void {
  const exact = marks ? { marks: [...marks] } : {};
  const note = { removed, known: [...known], inPlace: [...inPlace], since: `${since}`, ...exact };
  writeFileSync(noteIn(view), JSON.stringify(note), { mode: 0o600 });
}

/** The facts noted about a view; `undefined` if it is an overlay. */
export function extractedIn(view: string): Extracted | undefined {
  try {
    const { removed, known, inPlace, since, marks } = JSON.parse(readFileSync(noteIn(view), "utf8"));
    const exact = marks ? { marks: new Map<string, string>(marks) } : {};
    return { removed, known: new Set(known), inPlace: new Set(inPlace), since: BigInt(since), ...exact };
  } catch {
    return undefined;
  }
}
