import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { readAttributes, writeAttributes } from "@haft/host/files";

/** The folder of an annex in which new entries are made. */
export const stagingIn = (annex: string): string => join(annex, "staging");

/**
 * Creates the folder in which new entries are made before they get their place. There they do not inherit the access list
 * that the folder of their place gives to new entries. `undefined` where access lists cannot be read: they could not be
 * given to those entries either that have one.
 */
export function openStaging(annex: string): string | undefined {
  const folder = stagingIn(annex);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EEXIST" ? folder : undefined;
  }
  const found = readAttributes([folder]);
  if (found === undefined) rmdirSync(folder);
  else if (found.size > 0) writeAttributes([{ path: folder, attributes: {} }]);
  return found && folder;
}
