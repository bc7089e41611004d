import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Marks of an entry in the workspace, when it was copied, and in the copy. By absolute path in the workspace. */
export type BaseIndex = Map<string, { readonly mark: string; readonly own: string }>;

const fileIn = (folder: string): string => join(folder, "index");

/** An index that cannot be read is empty: then everything is copied again. */
export function readIndex(folder: string, root: string): BaseIndex {
  if (!existsSync(fileIn(folder))) return new Map();
  try {
    const rows = JSON.parse(readFileSync(fileIn(folder), "utf8")) as [string, string, string][];
    return new Map(rows.map(([path, mark, own]) => [root + path, { mark, own }]));
  } catch {
    return new Map();
  }
}

export function writeIndex(folder: string, root: string, index: BaseIndex): void {
  const rows = Array.from(index, ([path, { mark, own }]) => [path.slice(root.length), mark, own]);
  writeFileSync(fileIn(folder), JSON.stringify(rows), { mode: 0o600 });
}
