import type { Workspace } from "@haft/core/policy";
import { type Bound, fail, isWithin, type ReadEffect } from "@haft/core/tool";
import { isSystem, MEMORY } from "../system-folders.ts";
import { closedIn, closesReads } from "./closed.ts";
import { gitTargets } from "./git-targets.ts";
import { type Guards, guardsOf } from "./guards.ts";
import { twinsOf } from "./hard-links.ts";
import { hiddenOutside, privateAtHome } from "./hidden.ts";
import { kernelSecrets } from "./kernel.ts";
import { type Alias, NOTHING_PERSONAL, type Personal, personalPlaces } from "./personal.ts";
import { exactPaths, outermostPlaces, type RealPlace, realPaths } from "./real.ts";
import { hiddenIn, type Survey, survey } from "./survey.ts";
import { createTreeReader, type Tree, type TreeReader } from "./tree.ts";
import {
  BWRAP_WEAKNESSES,
  FILTER_WEAKNESS,
  NETWORK_WEAKNESS,
  PROXY_WEAKNESS,
  ROOT_WEAKNESS,
  SIZE_WEAKNESS,
} from "./weaknesses.ts";
import { outermost, writablePlaces } from "./writable.ts";

/**
 * The file system, network and processes that a confined program sees, as plain data. Everything is readable and nothing is
 * writable, except as listed here. If two entries overlap, the deeper path wins. For one path, the order of the fields decides.
 */
export interface Fence {
  /** Listed, but cannot be opened. */
  readonly hidden: readonly RealPlace[];
  /** Folders that are empty except for paths shown in them. */
  readonly emptied: readonly string[];
  /** Links in `emptied` folders to paths that are shown under another name. */
  readonly aliases: readonly Alias[];
  /** Missing folders that appear, empty and read-only. */
  readonly sealed: readonly string[];
  readonly readOnly: readonly string[];
  /** Part of a writable tree, but fixed in place. */
  readonly anchored: readonly string[];
  readonly writable: readonly string[];
  /** Folders that are empty at the start and discarded at the end. Writable except /run, so that no file is put there and lost. */
  readonly fresh: readonly string[];
  /** The folder mounted as /tmp and /var/tmp instead of fresh ones. */
  readonly tmp?: string;
  /** The folder for temporary files. */
  readonly temporary: string;
  /** `proxy`: only connections that a proxy lets through. `host`: the network of the machine. */
  readonly network: "none" | "proxy" | "host";
  /** The visible processes. Those of the machine can be inspected but not touched. */
  readonly processes: "own" | "machine";
  /** The ids that the program sees, if they differ from the caller's. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** The limits of this fence, each a sentence for people. */
  readonly weaknesses: readonly string[];
}

/** The parts of a workspace that a fence depends on. */
export type FencedWorkspace = Pick<Workspace, "root" | "additional" | "readable" | "home" | "platform">;

export interface FenceRequest {
  /** The grant. */
  readonly bound: Bound;
  readonly workspace: FencedWorkspace;
  /** `read`: nothing is writable, whatever the grant says. `serve`: only `outputs` are. Default `write`. */
  readonly use?: "read" | "write" | "serve";
  /** For `serve`: existing folders. */
  readonly outputs?: readonly string[];
  /** Default `none`. */
  readonly network?: Fence["network"];
  /** `false`: the program cannot create sockets, so those of the machine need no hiding. Default `true`. */
  readonly mayConnect?: boolean;
  /** Default `own`. */
  readonly processes?: Fence["processes"];
  /** Files and folders that settings add. All absolute. */
  readonly extra?: { readonly writable?: readonly string[]; readonly hidden?: readonly string[] };
  /** The folder of Haft's own state: hidden, except for the paths in `workspace.readable`. */
  readonly state?: string;
  /** A folder mounted as /tmp and /var/tmp, so that a command finds the files of earlier ones there. */
  readonly tmp?: string;
  /** The program's working directory: shown even if it is in a folder that is fresh inside. */
  readonly cwd?: string;
  /** The PATH in which programs are looked up. */
  readonly searchPath?: string;
  /** Remembers trees from one plan to the next. */
  readonly trees?: TreeReader;
}

/** Folders of temporary files that a session folder replaces, so that a command's files outlive it. */
export const STANDS_FOR_TMP: readonly string[] = ["/tmp", "/var/tmp"];
const FRESH: readonly string[] = [...STANDS_FOR_TMP, "/run"];
/** For programs that only read: they may read temporary files, but sockets are best not even present. */
const FRESH_FOR_READERS: readonly string[] = ["/run"];
/** Parts of /run that programs need if they exist: NixOS keeps all programs there. */
const RUN_PARTS: readonly string[] = ["/run/current-system", "/run/opengl-driver"];
/** The folder in which systemd keeps the real resolv.conf. */
const RESOLVER = "/run/systemd/resolve";
/** Limit on held or hidden files and folders of the workspace: each is a mount. */
export const MAX_MOUNTS = 400;

/** Maximum age of the listing of a very large workspace, for programs that only read. See docs/sandbox.md. */
const READ_AGE_MS = 10_000;

/** Plans what a program may see and change. Fails with `sandbox_unavailable` if no fence can enforce the request. */
export async function planFence(request: FenceRequest): Promise<Fence> {
  const { bound, workspace, network = "none", use = "write", extra = {}, trees = createTreeReader() } = request;
  const isReader = use === "read";
  const [home = workspace.home] = realPaths([workspace.home]);
  const named = outermost(realPaths([workspace.root, ...workspace.additional]));
  // A reader's workspace need not be told apart from the machine, whose private files are found in other ways.
  const roots = isReader ? named.filter((root) => !isSystem(root)) : named;
  for (const root of roots) refuseSystem(root);
  const added = realPaths(extra.writable ?? []);
  const granted = use === "serve" ? realPaths(request.outputs ?? []) : await writablePlaces(bound, roots, home);
  const writable = isReader ? [] : outermost([...granted, ...added]);
  const open = outermost([...roots, ...writable]);
  const guards = guardsOf(bound);
  const read = await Promise.all(open.map((root) => trees.read(root, isReader ? { maxAgeMs: READ_AGE_MS } : {})));
  const whole = isReader && closesReads(guards.holes) ? await readWhole(trees, open) : [];
  const found = isReader ? await readersSurvey(read, whole, guards) : merge(read.map((tree) => survey(tree, guards)));
  refuseTooMany(found.held.length + found.hidden.length);
  const names = [...(extra.hidden ?? []), ...(request.state === undefined ? [] : [request.state])];
  const fresh = freshFolders(request, open);
  const visible = [...realPaths(shownNames(request, roots, fresh)), ...exactPaths(shownReads(request, fresh))];
  const personal = personalOf(request, { home, roots: named, fresh });
  const seen = [...open, ...visible, ...personal.shown];
  const privately = privateAtHome(home);
  const outside = hiddenOutside({
    ...{ home, guards, names, open, seen, mayConnect: request.mayConnect ?? true, personal: privately },
    fresh: [...fresh, ...personal.folders],
  });
  const inWritable = (path: string): boolean => writable.some((folder) => isWithin(folder, path) && folder !== path);
  const gitNames = (await gitTargets(found.held, home)).filter((path) => !guards.isGranted(path));
  const targets = realPaths([...found.links, ...gitNames]);
  const shown = [...visible, ...personal.shown, ...exactPaths(openedIn(outside, bound))];
  const hidden = [...found.hidden, ...outside];
  const isRoot = process.getuid?.() === 0;
  return {
    hidden: [
      ...hidden,
      ...(await twinsOf([...hidden, ...privately], whole.length > 0 ? whole : read, guards)),
      ...kernelSecrets().map((path) => ({ path, isFolder: false })),
    ],
    emptied: personal.folders,
    aliases: personal.aliases,
    sealed: [...found.sealed.filter(inWritable), ...personal.entered],
    readOnly: unique([
      ...[...found.held, ...targets].filter(inWritable),
      ...shown.filter((path) => !inWritable(path) && !writable.includes(path)),
    ]),
    anchored: found.anchored.filter(inWritable),
    writable: [...writable, ...found.reopened.filter(inWritable)],
    fresh: fresh.filter((folder) => !writable.includes(folder)),
    ...(request.tmp === undefined ? {} : { tmp: request.tmp }),
    temporary: isReader ? "/dev/shm" : "/tmp",
    network,
    processes: request.processes ?? "own",
    // Programs that see themselves as root try what they may not do; the rights on files stay the caller's. Readers report
    // owners, and should report the real ones.
    ...(isRoot && !isReader ? { identity: { uid: 1000, gid: 1000 } } : {}),
    weaknesses: weaknessesOf(network, isRoot, read),
  };
}

/** Folders that are empty at the start of the program. */
function freshFolders({ bound, use, tmp, cwd = "" }: FenceRequest, open: readonly string[]): readonly string[] {
  const isReader = use === "read";
  const emptied = isReader ? [...FRESH_FOR_READERS, ...(tmp === undefined ? [] : STANDS_FOR_TMP)] : FRESH;
  // Mount it only if some path of this request is in it.
  const memory = [...open, cwd, ...readNames(bound)].some((path) => isWithin(MEMORY, path)) ? [MEMORY] : [];
  // The session's temporary folder replaces these for all its commands: one lists what another left.
  const stands = [MEMORY, ...(tmp === undefined ? [] : STANDS_FOR_TMP)];
  return realPaths([...emptied, ...memory]).filter(
    (folder) => !isReader || stands.includes(folder) || !isRead(folder, bound),
  );
}

const weaknessesOf = (network: Fence["network"], isRoot: boolean, read: readonly Tree[]): readonly string[] => [
  ...BWRAP_WEAKNESSES,
  ...(isRoot ? [ROOT_WEAKNESS] : []),
  ...(network === "host" ? [NETWORK_WEAKNESS] : []),
  ...(network === "proxy" ? [PROXY_WEAKNESS] : []),
  ...(["x64", "arm64"].includes(process.arch) ? [] : [FILTER_WEAKNESS]),
  ...(read.every((tree) => tree.complete) ? [] : [SIZE_WEAKNESS]),
];

const NONE: Survey = { held: [], reopened: [], anchored: [], links: [], sealed: [], hidden: [] };

const readWhole = (trees: TreeReader, roots: readonly string[]): Promise<readonly Tree[]> =>
  Promise.all(roots.map((root) => trees.read(root, { whole: true })));

/** A program that changes nothing needs nothing held. `whole`: the trees in which something is closed to it. */
async function readersSurvey(trees: readonly Tree[], whole: readonly Tree[], guards: Guards): Promise<Survey> {
  const closed = await Promise.all(whole.map((tree) => closedIn(tree, guards)));
  return { ...NONE, hidden: outermostPlaces([...trees.flatMap((tree) => hiddenIn(tree, guards)), ...closed.flat()]) };
}

function merge(surveys: readonly Survey[]): Survey {
  return {
    held: surveys.flatMap((one) => one.held),
    reopened: surveys.flatMap((one) => one.reopened),
    anchored: surveys.flatMap((one) => one.anchored),
    links: surveys.flatMap((one) => one.links),
    sealed: surveys.flatMap((one) => one.sealed),
    hidden: surveys.flatMap((one) => one.hidden),
  };
}

/** Paths that must be present although they are in a fresh or hidden folder. */
function shownNames(
  { workspace, cwd, network }: FenceRequest,
  roots: readonly string[],
  fresh: readonly string[],
): readonly string[] {
  const stands = [...roots, ...(cwd === undefined ? [] : [cwd])].filter((path) => isInFresh(path, fresh));
  return [...(workspace.readable ?? []), ...RUN_PARTS, ...(network === "host" ? [RESOLVER] : []), ...stands];
}

/** The same for paths granted for reading. */
const shownReads = ({ bound, use }: FenceRequest, fresh: readonly string[]): readonly string[] =>
  readNames(bound).filter((path) => (use === "read" || isWithin(MEMORY, path)) && isInFresh(path, fresh));

const isInFresh = (path: string, fresh: readonly string[]): boolean =>
  fresh.some((folder) => isWithin(folder, path) && (folder !== path || folder === MEMORY));

/**
 * The visible parts of personal folders, see `personalPlaces`. Served programs have their own folders. Fresh folders are empty
 * anyway.
 */
function personalOf(
  { use, bound, cwd, workspace, searchPath }: FenceRequest,
  { home, roots, fresh }: { home: string; roots: readonly string[]; fresh: readonly string[] },
): Personal {
  if (use === "serve") return NOTHING_PERSONAL;
  const names = [...(workspace.readable ?? []), ...(cwd === undefined ? [] : [cwd])];
  const personal = personalPlaces({ bound, home, roots, names, searchPath });
  const isOther = (folder: string) => !fresh.includes(folder);
  return { ...personal, folders: personal.folders.filter(isOther), entered: personal.entered.filter(isOther) };
}

const readsOf = ({ effects }: Bound): readonly ReadEffect[] =>
  effects.filter((effect): effect is ReadEffect => effect.do === "read");

const readNames = (bound: Bound): readonly string[] => readsOf(bound).map(({ path }) => path);

/** Whether a folder, or one above it, was granted for reading. */
const isRead = (folder: string, bound: Bound): boolean => readsOf(bound).some(({ path }) => isWithin(path, folder));

/** Paths in hidden folders that a read effect names. */
const openedIn = (hidden: readonly RealPlace[], bound: Bound): readonly string[] =>
  readsOf(bound).flatMap((effect) =>
    hidden.some(({ path, isFolder }) => isFolder && isWithin(path, effect.path)) ? [effect.path] : [],
  );

const unique = (paths: readonly string[]): readonly string[] => [...new Set(paths)];

function refuseSystem(root: string): void {
  if (!isSystem(root)) return;
  fail(
    "sandbox_unavailable",
    `${root} is a system folder: the sandbox cannot separate your work in it from the machine.`,
    "Start Haft in one of your own folders.",
  );
}

function refuseTooMany(count: number): void {
  if (count <= MAX_MOUNTS) return;
  fail(
    "sandbox_unavailable",
    `${count} files and folders of the workspace need protection one by one; the limit is ${MAX_MOUNTS}.`,
    "Write deny rules for folders instead of single files.",
  );
}
