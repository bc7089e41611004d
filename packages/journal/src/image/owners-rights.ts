import { type BigIntStats, chmodSync, fstatSync } from "node:fs";
import { openPlace, withExact } from "./exact.ts";
import { modeOf, statOf } from "./image.ts";
import { namesIn } from "./tree.ts";

/** Set-user-ID and set-group-ID. On a folder, the latter only sets the group of new files. */
const OWNERS_RIGHTS = 0o6000;

/** Whether a file runs with the rights of its owner or group for everybody. */
export const hasOwnersRights = (found: BigIntStats): boolean => found.isFile() && (modeOf(found) & OWNERS_RIGHTS) !== 0;

/** The text for a file that has lost them. */
export const NO_OWNERS_RIGHTS =
  "the bits setuid and setgid, because every user who ran it would get its owner's rights";

/** Removes these bits from a file: no command may give its files the user's or root's rights permanently. */
export function dropOwnersRights(path: string): void {
  withExact(path, (own) => {
    using open = openPlace(own);
    const found = fstatSync(open.descriptor, { bigint: true });
    if (hasOwnersRights(found)) chmodSync(open.way, modeOf(found) & ~OWNERS_RIGHTS);
  });
}

/** Files below a folder that have these bits, by their relative paths. */
export function withOwnersRights(folder: string): readonly string[] {
  return namesIn(folder).flatMap((name) => {
    const found = statOf(`${folder}/${name}`);
    if (found?.isDirectory()) return withOwnersRights(`${folder}/${name}`).map((inner) => `/${name}${inner}`);
    return found && hasOwnersRights(found) ? [`/${name}`] : [];
  });
}
