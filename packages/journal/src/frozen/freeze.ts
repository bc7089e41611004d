import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { JournalCall } from "@haft/core/executor";
import { fail, isWithin, parent } from "@haft/core/tool";
import { withFileLock } from "@haft/host";
import { openBase } from "../base/base.ts";
import { ignoredFolders } from "../direct/git.ts";
import { modeOf, statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import { scan } from "../image/scan.ts";
import { type Trace, traceOf } from "../image/trace.ts";
import type { Ledger } from "../ledger.ts";
import { newId } from "../store/record.ts";
import { openFolders } from "../view/open-folders.ts";
import { agentFolders, agentsIn, framesIn } from "./agent-folders.ts";
import { type Copying, copyFolders } from "./copy-folders.ts";

/** A frozen copy of a workspace, in which an agent works. Its changes come back by a merge. */
export interface Frozen {
  readonly id: string;
  /** Everything of the copy. */
  readonly folder: string;
  /** The copy of the workspace. */
  readonly root: string;
  /** The originals of the copy: everything but the linked folders, never changed. */
  readonly base: string;
  /** The call whose agent works in it. */
  readonly owner: JournalCall;
  /** How entries of the copy looked at first, by absolute path in the workspace. */
  readonly first: ReadonlyMap<string, First>;
  /** Folders whose files the copy took over from the workspace itself: ignored ones, and the objects of git. */
  readonly linked: ReadonlySet<string>;
  /** Files of the linked folders are other names of those in the workspace. */
  hasLinks: boolean;
}

/** Marks of an entry that a copy had at first. */
export interface First {
  /** In the copy. */
  readonly own: string;
  /** In the workspace; absent if the base has its content. */
  readonly live?: string;
}

export interface FreezeOptions {
  /**
   * Ignored folders are hard links of those in the workspace. Only for copies in which every program runs in a view: it
   * gets files of its own when it writes. Default: they are copied.
   */
  readonly links?: boolean;
}

const generationsIn = (annex: string): string => join(framesIn(annex), "generations");

/** Inode, size, mode and time of the last write. Hard links do not change these. */
export const firstMark = ({ kind, inode, size, mode, written }: Trace): string =>
  kind === "folder" ? `folder ${mode}` : `${inode} ${size} ${mode} ${written}`;

/** Why a workspace cannot be frozen, in words; `undefined` when it can. */
export function whyNoFreeze({ root, state, folder, annex }: Ledger): string | undefined {
  if (annex === undefined) return "The workspace's file system has no space for a copy.";
  if ([state ?? folder, folder].some((own) => isWithin(root, own))) return "Haft's own state is in the workspace.";
  const git = statOf(join(root, ".git"));
  if (git && !git.isDirectory()) return "The workspace is a worktree or submodule, whose repository is elsewhere.";
  return undefined;
}

/**
 * Freezes the workspace. Copies that are made one after the other share one base, until the workspace changes.
 *
 * @throws HaftError `tool_unavailable` if the workspace cannot be frozen.
 */
export async function freeze(ledger: Ledger, owner: JournalCall, options: FreezeOptions = {}): Promise<Frozen> {
  const why = whyNoFreeze(ledger);
  const { annex } = ledger;
  if (why !== undefined || annex === undefined) return refuse(why);
  const how: Copying = options.links ? "link" : "copy";
  ledger.enter();
  mkdirSync(agentsIn(annex), { recursive: true, mode: 0o700 });
  const id = newId();
  const folder = join(agentsIn(annex), id);
  const linked = new Set(await linkedFolders(ledger));
  const base = await withFileLock(
    join(framesIn(annex), "lock"),
    () => generation(ledger, annex, linked, folder, owner),
    {
      forgottenMs: Number.POSITIVE_INFINITY,
    },
  );
  const root = rootIn(folder, ledger.root);
  const paths = [...linked].map((path) => path.slice(ledger.root.length));
  // Beside the copy of the base: it takes as long as the copy and the marks together.
  const links = join(folder, "links");
  const linking = copyFolders(ledger.root, links, paths, { how });
  await copyFolders(base, root, ["/."]);
  // The workspace's marks are those of the links, too.
  const live = marksOf(ledger.root, paths);
  await linking;
  moveFolders(links, root, paths);
  const first = new Map<string, First>();
  const skipped = new Set(paths);
  for (const [path, mark] of marksOf(root, [""], (inner) => skipped.has(inner)))
    first.set(ledger.root + path, { own: mark });
  const own = how === "link" ? live : marksOf(root, paths);
  for (const [path, mark] of own) {
    const there = live.get(path);
    first.set(ledger.root + path, { own: mark, ...(there === undefined ? {} : { live: there }) });
  }
  const frozen: Frozen = { id, folder, root, base, owner, first, linked, hasLinks: how === "link" };
  writeFrozen(frozen, ledger);
  return frozen;
}

/** Moves folders to the same paths in another folder, where those above them exist. */
function moveFolders(from: string, to: string, paths: readonly string[]): void {
  for (const path of paths) {
    const [here, above] = [statOf(from + path), statOf(parent(to + path))];
    if (!here || !above) continue;
    // Only a folder that may be written to can be moved.
    const modes = [[toSystem(from + path), here] as const, [toSystem(parent(to + path)), above] as const];
    for (const [place, found] of modes) chmodSync(place, modeOf(found) | 0o700);
    renameSync(toSystem(from + path), toSystem(to + path));
    chmodSync(toSystem(to + path), modeOf(here));
    chmodSync(toSystem(parent(to + path)), modeOf(above));
  }
  openFolders(from);
  rmSync(from, { recursive: true, force: true });
}

const refuse = (why = "The workspace cannot be copied."): never =>
  fail(
    "tool_unavailable",
    `There is no frozen copy of the workspace: ${why}`,
    'Set isolation to "none" or "worktree".',
  );

/** The base of a new copy: the latest one while nothing has changed in the workspace, else one with the changes. */
async function generation(
  { root, isOwn, writer, shell }: Ledger,
  annex: string,
  linked: ReadonlySet<string>,
  folder: string,
  owner: JournalCall,
): Promise<string> {
  const base = openBase({
    folder: join(framesIn(annex), "base"),
    ...{ root, shell },
    isOwn: (path) => linked.has(path) || isOwn(path),
  });
  const fresh = await base.refresh({ isSettled: true });
  if (!fresh) return refuse("it has too many files.");
  const current = join(generationsIn(annex), "current");
  let name = fresh.isSame && existsSync(current) ? readFileSync(current, "utf8") : "";
  if (name === "" || !existsSync(join(generationsIn(annex), name))) {
    name = newId();
    await copyFolders(base.tree, join(generationsIn(annex), name), ["/."], { how: "link" });
    writeFileSync(current, name, { mode: 0o600 });
  }
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(ownerIn(folder), JSON.stringify({ ...owner, writer, generation: name }), { mode: 0o600 });
  dropGenerations(annex, name);
  return join(generationsIn(annex), name);
}

/** Removes the bases that no copy needs. */
function dropGenerations(annex: string, current: string): void {
  const used = new Set(agentFolders(annex).map((folder) => ownerOf(folder)?.generation));
  for (const name of readdirSync(generationsIn(annex))) {
    if (name === "current" || name === current || used.has(name)) continue;
    openFolders(join(generationsIn(annex), name));
    rmSync(join(generationsIn(annex), name), { recursive: true, force: true });
  }
}

/** Ignored folders and the objects of git, without what is Haft's own and without further worktrees. */
async function linkedFolders({ root, isOwn }: Ledger): Promise<readonly string[]> {
  const objects = join(root, ".git/objects");
  const found = [...(await ignoredFolders(root)), ...(statOf(objects)?.isDirectory() ? [objects] : [])];
  return found.filter((path) => !isOwn(path) && !/\/\.(haft|claude)\/worktrees(\/|$)/.test(path));
}

/** The marks of everything below these paths of a folder, by path from there. */
function marksOf(root: string, paths: readonly string[], isSkipped?: (path: string) => boolean): Map<string, string> {
  const marks = new Map<string, string>();
  for (const path of paths) {
    const top = path === "" ? undefined : traceOf(root + path);
    if (top) marks.set(path, firstMark(top));
    for (const [inner, trace] of scan(root + path, {
      limit: Number.POSITIVE_INFINITY,
      ...(isSkipped ? { isSkipped: (folder) => isSkipped(folder.slice(root.length)) } : {}),
    }).entries)
      marks.set(inner.slice(root.length), firstMark(trace));
  }
  return marks;
}

/** Gives a copy files of its own in place of hard links, before a program writes there without a view. */
export async function unlinkCopy(frozen: Frozen, root: string): Promise<void> {
  if (!frozen.hasLinks) return;
  const first = frozen.first as Map<string, First>;
  const own = join(frozen.folder, "own");
  const paths = [...frozen.linked].map((path) => path.slice(root.length));
  const before = marksOf(frozen.root, paths);
  await copyFolders(frozen.root, own, paths);
  for (const path of paths) {
    if (!existsSync(own + path)) continue;
    openFolders(frozen.root + path);
    rmSync(frozen.root + path, { recursive: true, force: true });
  }
  await copyFolders(own, frozen.root, paths, { how: "link" });
  openFolders(own);
  rmSync(own, { recursive: true, force: true });
  for (const [path, mark] of marksOf(frozen.root, paths)) {
    const then = first.get(root + path);
    if (then && before.get(path) === then.own) first.set(root + path, { ...then, own: mark });
  }
  writeIndex(frozen, root);
  frozen.hasLinks = false;
}

/** The path of the copy. `AGENT_COPIES` of the policy names its folder. */
const rootIn = (folder: string, root: string): string => join(folder, "work", basename(root));
const ownerIn = (folder: string): string => join(folder, "owner.json");
const indexIn = (folder: string): string => join(folder, "first.json");

/** The call and the process that a copy belongs to. */
export interface FrozenOwner extends JournalCall {
  readonly writer: string;
  readonly generation: string;
}

export function ownerOf(folder: string): FrozenOwner | undefined {
  try {
    return JSON.parse(readFileSync(ownerIn(folder), "utf8")) as FrozenOwner;
  } catch {
    return undefined;
  }
}

/** Writes down how the copy looked at first, for the process that finds it after a crash. */
function writeFrozen(frozen: Frozen, { root }: Ledger): void {
  writeIndex(frozen, root);
}

function writeIndex({ folder, first, linked }: Frozen, root: string): void {
  const rows = Array.from(first, ([path, { own, live }]) => [path.slice(root.length), own, ...(live ? [live] : [])]);
  const text = JSON.stringify({ rows, linked: [...linked].map((path) => path.slice(root.length)) });
  writeFileSync(indexIn(folder), text, { mode: 0o600 });
}

/** A copy that a dead process has left; `undefined` if it was never complete. */
export function readFrozen({ root, annex }: Ledger, folder: string): Frozen | undefined {
  const owner = ownerOf(folder);
  if (!owner || annex === undefined || !existsSync(indexIn(folder))) return undefined;
  const { rows, linked } = JSON.parse(readFileSync(indexIn(folder), "utf8")) as {
    readonly rows: readonly [string, string, string?][];
    readonly linked: readonly string[];
  };
  return {
    id: basename(folder),
    folder,
    root: rootIn(folder, root),
    base: join(generationsIn(annex), owner.generation),
    owner,
    first: new Map(rows.map(([path, own, live]) => [root + path, live === undefined ? { own } : { own, live }])),
    linked: new Set(linked.map((path) => root + path)),
    hasLinks: false,
  };
}

/** Removes a copy. Its changes are gone, unless they were merged. */
export function dropFrozen({ folder }: Pick<Frozen, "folder">): void {
  rmSync(ownerIn(folder), { force: true });
  openFolders(folder);
  rmSync(folder, { recursive: true, force: true });
}
