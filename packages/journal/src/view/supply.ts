import { lstatSync, lutimesSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import type { Supply } from "../apply/supply.ts";
import { copyFile } from "../image/copy-file.ts";
import { isForeign } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Change } from "../store/record.ts";
import { exchange, takeMarksOff } from "./marks.ts";

/** Bigger files are moved out of the upper layer if possible; smaller ones only when there are many. */
const COPY_BYTES = 1024 * 1024;
/** Smaller files have no holes worth keeping. */
const SPARSE_BYTES = 65_536;
/** From this many files on, moving them is worth starting the helper program. */
const MANY = 16;

/** Path of the command's version of a path. */
export const upperIn =
  (view: string, root: string) =>
  (path: string): string =>
    `${upperOf(view)}${path.slice(root.length)}`;

/** Content from the upper layer of a view of `root`. */
export function fromView(view: string, root: string, tag: string, changes: readonly Change[]): Supply {
  const upper = upperIn(view, root);
  let movable: ReadonlySet<string> | undefined;
  const taken = new Set<string>();
  return {
    tag,
    exchange(wanted) {
      const back = wanted.every(({ path }) => taken.has(path));
      if (!back && wanted.length < MANY) return new Map();
      const pairs = wanted.map(({ path }) => ({ from: upper(path), to: path }));
      const done = exchange(pairs, { back });
      for (const path of done) taken.add(path);
      return new Map([...done].map((path) => [path, upper(path)]));
    },
    fill: ({ path: place }, path, over) => copy(upper(place), path, over),
    source({ path, after }) {
      const from = upper(path);
      movable ??= movableIn(
        changes.filter((change) => !taken.has(change.path)),
        upper,
      );
      return after.type === "tree" || after.type === "pipe" || movable.has(from) ? from : undefined;
    },
  };
}

/** Files that can be moved. A move keeps an overlay's marks, so they must be removed first; a copy does not have them. */
function movableIn(changes: readonly Change[], upper: (path: string) => string): ReadonlySet<string> {
  const files = changes.filter(({ after, shared }) => after.type === "file" && after.linkOf === undefined && !shared);
  const isMany = files.length >= MANY;
  const worth = files.filter(
    ({ after }) => isMany || (after.type === "file" && (after.size > COPY_BYTES || after.attributes !== undefined)),
  );
  return takeMarksOff(worth.map(({ path }) => upper(path)).filter(isSingle));
}

/** Whether a file has one name. A second name in the layer would be another name of the moved file. */
const isSingle = (path: string): boolean => lstatSync(toSystem(path), { throwIfNoEntry: false })?.nlink === 1;

function copy(from: string, to: string, over: boolean): void {
  const [source, target] = [toSystem(from), toSystem(to)];
  const { size, blocks, atime, mtime } = lstatSync(source);
  const hasHoles = size > SPARSE_BYTES && blocks * 512 < size;
  // Small contents go through memory, because a copy by the kernel can wait for the disk.
  if (size <= COPY_BYTES && !hasHoles) writeFileSync(target, readFileSync(source), { flag: over ? "w" : "wx" });
  else copyFile(from, to, over);
  // By now, the name of a new file may be somebody else's link.
  if (!over) lutimesSync(target, atime, mtime);
  // A write in place keeps the owner, who alone may set times.
  else if (!isForeign(statSync(target, { bigint: true }))) utimesSync(target, atime, mtime);
}

export const upperOf = (view: string): string => `${view}/upper`;
export const workOf = (view: string): string => `${view}/work`;
