import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fail } from "@haft/core/tool";

/** Limits of a plugin: files, bytes, and depth of folders. */
const MOST = { files: 5_000, bytes: 50_000_000, depth: 20 } as const;

/** A file of a plugin, by its path in it. */
export interface TreeFile {
  readonly path: string;
  readonly bytes: number;
  readonly isProgram: boolean;
  readonly stamp: string;
  /** The target of a link that stays inside the plugin. */
  readonly link?: string;
}

/**
 * The files of a plugin in a stable order.
 *
 * @throws HaftError `validation_failed` for a link that leads out, a pipe or device, and a tree that is too large.
 */
export function treeFiles(root: string): readonly TreeFile[] {
  const files: TreeFile[] = [];
  let bytes = 0;
  function walk(folder: string, depth: number): void {
    if (depth > MOST.depth) refuse(`its folders are nested more than ${MOST.depth} deep`);
    for (const name of readdirSync(folder).sort()) {
      const place = join(folder, name);
      const path = relative(root, place);
      const found = lstatSync(place);
      const stamp = `${found.size}:${found.mtimeMs}:${found.ctimeMs}:${found.ino}`;
      if (found.isDirectory()) walk(place, depth + 1);
      else if (found.isSymbolicLink()) {
        const link = readlinkSync(place);
        if (!resolve(dirname(place), link).startsWith(root + sep))
          refuse(`${JSON.stringify(path)} is a link that leads out of it, to ${JSON.stringify(link)}`);
        files.push({ path, bytes: 0, isProgram: false, stamp, link });
      } else if (found.isFile()) {
        bytes += found.size;
        files.push({ path, bytes: found.size, isProgram: (found.mode & 0o111) !== 0, stamp });
      } else refuse(`${JSON.stringify(path)} is neither a file nor a folder`);
      if (files.length > MOST.files) refuse(`it has more than ${MOST.files} files`);
      if (bytes > MOST.bytes) refuse(`it has more than ${MOST.bytes} bytes`);
    }
  }
  walk(root, 1);
  return files;
}

const refuse = (why: string): never =>
  fail("validation_failed", `This plugin cannot be used: ${why}.`, "Ask its author to correct it.");

/** A digest of everything in a plugin: names, contents, links, and which files are programs. */
export function treeHash(root: string): string {
  const hash = createHash("sha256");
  for (const { path, isProgram, link } of treeFiles(root)) {
    hash.update(JSON.stringify([path, isProgram, link ?? ""]));
    if (link === undefined)
      hash.update(
        createHash("sha256")
          .update(readFileSync(join(root, path)))
          .digest(),
      );
  }
  return hash.digest("hex");
}

/** Changes whenever a file may have changed, without reading any. */
export const treeStamp = (root: string): string =>
  createHash("sha256")
    .update(JSON.stringify(treeFiles(root).map(({ path, stamp }) => [path, stamp])))
    .digest("hex");
