import { basename } from "@haft/core/tool";
import { isDetail, statOf } from "../image/image.ts";
import { readable } from "../image/raw-path.ts";
import type { Change, Loss } from "../store/record.ts";

/** Watches over names that an undo makes names of one file again. */
export interface SameFile {
  /** These changes were made. */
  made(changes: readonly Change[]): void;
  /** Names that ended as files of their own. */
  losses(): readonly Loss[];
}

export function watchNames(): SameFile {
  /** By name: another name of its file. */
  const wanted = new Map<string, string>();
  return {
    made(changes) {
      const replaced = new Set(changes.filter((one) => !one.shared && !isDetail(one)).map(({ path }) => path));
      for (const [path, other] of wanted) if (replaced.has(path) || replaced.has(other)) wanted.delete(path);
      for (const { path, after } of changes)
        if (after.type === "file" && after.linkOf !== undefined) wanted.set(path, after.linkOf);
    },
    losses() {
      const names = Map.groupBy(wanted, ([, other]) => other);
      return [...names].flatMap(([other, pairs]) => {
        const inodes = new Map([other, ...pairs.map(([path]) => path)].map((path) => [path, inodeOf(path)]));
        const [most] = [...Map.groupBy(inodes, ([, inode]) => inode)].sort(([, a], [, b]) => b.length - a.length);
        const apart = [...inodes].filter(([, inode]) => inode !== undefined && inode !== most?.[0]);
        return apart.map(([path]) => ({ path, why: `It is a file of its own now, not one with ${nameOf(path)}.` }));

        function nameOf(path: string): string {
          const [first = ""] = [...inodes.keys()].filter((name) => name !== path);
          return readable(basename(first));
        }
      });
    },
  };
}

/** `undefined`: nothing is there, or no file. */
function inodeOf(path: string): bigint | undefined {
  const found = statOf(path);
  return found?.isFile() ? found.ino : undefined;
}
