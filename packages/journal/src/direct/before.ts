import { BASE_ENTRIES, type Base } from "../base/base.ts";
import { type BeforeImages, beginKeeping } from "../before-images.ts";
import { equal, type Image, linkTarget, lookAt, NONE, statOf } from "../image/image.ts";
import { dropOwnersRights, hasOwnersRights, NO_OWNERS_RIGHTS } from "../image/owners-rights.ts";
import { type Scan, scan } from "../image/scan.ts";
import type { Trace } from "../image/trace.ts";
import type { Ledger } from "../ledger.ts";
import { type AttributesAt, attributesAt, withAttributes } from "../store/details.ts";
import type { Change, Loss } from "../store/record.ts";
import { type GitContents, gitContents } from "./git.ts";
import { withLinksOf } from "./links.ts";

/** Limits for copies before a command: size of one file, number of files and total size. */
export const COPY_BYTES = 256 * 1024;
const COPIES_BYTES = 16 * 1024 * 1024;
export const COPIES = 2_000;

/** The state of folders at one moment, with the means to restore it. */
export interface Before {
  readonly folders: readonly string[];
  readonly scan: Scan;
  readonly git: GitContents | undefined;
  readonly copies: ReadonlyMap<string, Image>;
  readonly links: ReadonlyMap<string, string>;
  /** ACLs and extended attributes of files and folders that have any; absent with a copy, which has them. */
  readonly attributes?: AttributesAt;
  /** A copy of the workspace as it was. */
  readonly base?: Base;
}

/** Scans the folders, and copies small files whose content is nowhere else. */
export async function lookBefore(
  ledger: Ledger,
  folders: readonly string[],
  isSkipped?: (folder: string) => boolean,
  base?: Base,
): Promise<Before> {
  // With a copy of everything, no further copies are needed.
  if (base) {
    const all = scanAll(ledger, folders, isSkipped, BASE_ENTRIES);
    return { folders, scan: all, git: undefined, copies: new Map(), links: linksIn(all), base };
  }
  const git = join((await Promise.all(folders.map(gitContents))).filter((one) => one !== undefined));
  const found = scanAll(ledger, folders, isSkipped);
  const keeping = beginKeeping(ledger);
  const copies = found.complete ? copySmall(found, git, keeping) : new Map<string, Image>();
  keeping.seal();
  const owners = [...found.entries].filter(([, { kind }]) => kind === "file" || kind === "folder");
  const attributes = attributesAt(owners.map(([path]) => path));
  return { folders, scan: found, git, copies, links: linksIn(found), attributes };
}

/** Everything below the folders except Haft's own files. */
export function scanAll(
  ledger: Ledger,
  folders: readonly string[],
  isSkipped: (folder: string) => boolean = () => false,
  limit?: number,
): Scan {
  const bound = limit === undefined ? {} : { limit };
  const skips = (folder: string): boolean => ledger.isOwn(folder) || isSkipped(folder);
  const scans = folders.map((top) => scan(top, { ...bound, isSkipped: skips }));
  return {
    entries: new Map(scans.flatMap(({ entries }) => [...entries])),
    complete: scans.every(({ complete }) => complete),
  };
}

/** Combines the contents of several repositories. */
function join(all: readonly GitContents[]): GitContents | undefined {
  const [first] = all;
  if (!first || all.length === 1) return first;
  const owner = (path: string) => all.find(({ clean }) => clean.has(path)) ?? first;
  return {
    clean: new Map(all.flatMap(({ clean }) => [...clean])),
    isIgnored: (path) => all.some((one) => one.isIgnored(path)),
    read: (object, path) => owner(path).read(object, path),
  };
}

/** Copies small files whose content git does not have. Ignored files come last: programs made most of them. */
function copySmall({ entries }: Scan, git: GitContents | undefined, keeping: BeforeImages): Map<string, Image> {
  const wanted = [...entries].filter(
    ([path, { kind, size }]) => kind === "file" && size <= COPY_BYTES && !git?.clean.has(path) && !isObject(path),
  );
  const ignored = ([path]: [string, Trace]) => Number(git?.isIgnored(path) ?? false);
  const copies = new Map<string, Image>();
  let bytes = 0;
  for (const [path, { size }] of wanted.sort((a, b) => ignored(a) - ignored(b))) {
    bytes += size;
    if (copies.size >= COPIES || bytes > COPIES_BYTES) break;
    copies.set(path, keeping.copy(path));
  }
  return copies;
}

/** Repositories only add objects and never change them. Git touches an object's times when it writes the same object again. */
const isObject = (path: string): boolean => path.includes("/.git/objects/");

function linksIn({ entries }: Scan): ReadonlyMap<string, string> {
  return new Map(
    [...entries].flatMap(([path, { kind }]) => (kind === "link" ? [[path, linkTarget(path)] as const] : [])),
  );
}

export const tooMany = (folders: readonly string[], why: string): readonly Loss[] =>
  folders.map((path) => ({ path, why }));

/**
 * The changes since. A change that cannot be undone has a `lost` before-image. `onUnread`: called for a changed file that
 * this user may not read.
 */
export async function changesSince(
  ledger: Ledger,
  before: Before,
  after: Scan,
  onUnread: (loss: Loss) => void,
): Promise<readonly Change[]> {
  const keeping = beginKeeping(ledger);
  const look = (path: string): Image | undefined => {
    try {
      return lookAt(path);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EACCES") throw thrown;
      onUnread({ path, why: "This user may not read it, so undo leaves it." });
      return undefined;
    }
  };
  const changes: Change[] = [];
  const alike: Change[] = [];
  for (const [path, trace] of before.scan.entries) {
    const then = after.entries.get(path);
    if (then?.mark === trace.mark || (then && isObject(path) && then.size === trace.size && then.mode === trace.mode))
      continue;
    const old = await oldImage(keeping, path, trace, before);
    const found = look(path);
    if (!found) continue;
    const isRightful = (trace.mode & 0o6000) !== 0 && hasContentOf(found, old);
    const lacks = isRightful ? {} : dropped(path);
    const now = lacks.lacks === undefined ? found : lookAt(path);
    const change = {
      path,
      before: old,
      after: now,
      ...(isShared(path, trace) ? { shared: true as const } : {}),
      ...lacks,
    };
    if (equal(old, now)) alike.push(change);
    else changes.push(change);
  }
  for (const path of after.entries.keys()) {
    if (before.scan.entries.has(path)) continue;
    const lacks = dropped(path);
    const found = look(path);
    if (found && found.type !== "none") changes.push({ path, before: NONE, after: found, ...lacks });
  }
  keeping.seal();
  return withLinksOf(detailed(before, [...changes, ...alike], after), before.scan, after);
}

/** Adds attributes. Leaves out changes of nothing. */
function detailed({ base, attributes, scan: old }: Before, all: readonly Change[], now: Scan): readonly Change[] {
  const copied = (path: string) => base?.copyOf(path, old.entries.get(path)?.mark ?? "") ?? "";
  const found = attributesAt(all.flatMap(({ path }) => [path, copied(path)]).filter(Boolean));
  const then = (path: string) => attributes?.get(path) ?? found.get(copied(path));
  return all
    .map((change) => withAttributes(change, then(change.path), found.get(change.path)))
    .filter(({ path, before, after }) => !equal(before, after) || isRegrouped(old, now, path));
}

/** Whether a path is another file now, and one of the two has further names. */
function isRegrouped(old: Scan, now: Scan, path: string): boolean {
  const [a, b] = [old.entries.get(path), now.entries.get(path)];
  return a?.kind === "file" && b?.kind === "file" && a.inode !== b.inode && a.names + b.names > 2;
}

const hasContentOf = (a: Image, b: Image): boolean => a.type === "file" && b.type === "file" && a.hash === b.hash;

/** Removes bits that would run a file with its owner's rights for everybody. */
function dropped(path: string): Pick<Change, "lacks"> {
  const found = statOf(path);
  if (!found || !hasOwnersRights(found)) return {};
  dropOwnersRights(path);
  return { lacks: NO_OWNERS_RIGHTS };
}

/** Whether a path still names the same file, which has further hard links. */
function isShared(path: string, { kind, inode }: Trace): boolean {
  const now = kind === "file" ? statOf(path) : undefined;
  return now?.isFile() === true && now.ino === inode && now.nlink > 1n;
}

/** The image of a copy, with the rights of the original: a user's copy of another user's file is the user's. */
function withRights(copy: Image, rights: Pick<Trace, "mode" | "owner">): Image {
  if (copy.type !== "file" && copy.type !== "folder") return copy;
  const { owner: _, ...own } = copy;
  return { ...own, ...rights };
}

/** The before-image of a path, with its content kept. */
async function oldImage(keeping: BeforeImages, path: string, trace: Trace, before: Before): Promise<Image> {
  const { git, copies, links, base } = before;
  const { kind, mode, size } = trace;
  const owner = trace.owner ? { owner: trace.owner } : {};
  const rights = { mode, ...owner };
  const own = kind === "file" || kind === "folder" ? base?.copyOf(path, trace.mark) : undefined;
  if (own !== undefined) return withRights(keeping.copy(own), rights);
  if (kind === "folder") return { type: "folder", ...rights };
  if (kind === "link") return { type: "link", target: links.get(path) ?? "", ...owner };
  if (kind === "pipe") return { type: "pipe", mode };
  if (kind === "other") return { type: "lost", why: "Sockets and devices cannot be restored." };
  const copy = copies.get(path);
  if (copy) return copy;
  const object = git?.clean.get(path);
  const content = object === undefined ? undefined : await git?.read(object, path).catch(() => undefined);
  // Another size means that one of git's filters changed the content between object and file.
  if (content?.length === size) return { type: "file", hash: keeping.keepBytes(content), size, ...rights };
  const why = base
    ? "it could not be copied before the command, or somebody changed it meanwhile."
    : "it was not in git, and too large to copy before the command.";
  return { type: "lost", why: `Its old content is lost: ${why}` };
}
