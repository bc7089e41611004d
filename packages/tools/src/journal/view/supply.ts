import { constants, copyFileSync, lstatSync, renameSync, utimesSync } from "node:fs";
import type { Supply } from "../apply.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Change } from "../store/record.ts";

/** Files up to this size are copied out of the upper layer, so that the overlay's marks on them stay behind. */
const COPY_BYTES = 1024 * 1024;

/** Content out of the upper layer of a view of `root`. */
export function fromView(view: string, root: string, tag: string): Supply {
  const upper = ({ path }: Change): string => `${upperOf(view)}${path.slice(root.length)}`;
  return {
    tag,
    fill(change, path, over) {
      const from = toSystem(upper(change));
      const to = toSystem(path);
      const { size, atime, mtime } = lstatSync(from);
      if (size > COPY_BYTES && !over) return renameSync(from, to);
      copyFileSync(from, to, constants.COPYFILE_FICLONE | (over ? 0 : constants.COPYFILE_EXCL));
      utimesSync(to, atime, mtime);
    },
    source: (change) => (change.after.type === "tree" || change.after.type === "pipe" ? upper(change) : undefined),
  };
}

export const upperOf = (view: string): string => `${view}/upper`;
export const workOf = (view: string): string => `${view}/work`;
