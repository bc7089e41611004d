import { privateInHome, type Workspace } from "@haft/core/policy";
import { type Bound, fail, isWithin, type ReadEffect } from "@haft/core/tool";
import { closedIn, closesReads } from "./closed.ts";
import { gitTargets } from "./git-targets.ts";
import { type Guards, guardsOf } from "./guards.ts";
import { hiddenOutside } from "./hidden.ts";
import { kernelSecrets } from "./kernel.ts";
import { type Alias, NOTHING_PERSONAL, type Personal, personalPlaces } from "./personal.ts";
import { exactPaths, outermostPlaces, type RealPlace, realPaths, realPlaces } from "./real.ts";
import { hiddenIn, type Survey, survey } from "./survey.ts";
import { createTreeReader, type Tree, type TreeReader } from "./tree.ts";
import { twinsOf } from "./twins.ts";
import {
  BWRAP_WEAKNESSES,
  FILTER_WEAKNESS,
  NETWORK_WEAKNESS,
  PROXY_WEAKNESS,
  ROOT_WEAKNESS,
  SIZE_WEAKNESS,
} from "./weaknesses.ts";
import { MEMORY, outermost, writablePlaces } from "./writable.ts";

/**
 * What a confined program finds: plain data. Everything is readable and nothing writable but for what is named here.
 * Where two entries meet, the deeper path wins; for one path, the order of the fields.
 */
export interface Fence {
  /** Found, but not to be opened. */
  readonly hidden: readonly RealPlace[];
  /** Folders of which only what is shown in them is there. */
  readonly emptied: readonly string[];
  /** Links in these, to what is shown under another name. */
  readonly aliases: readonly Alias[];
  /** Missing folders that are there, empty and read-only. */
  readonly sealed: readonly string[];
  readonly readOnly: readonly string[];
  /** Part of a writable tree, but fixed in place. */
  readonly anchored: readonly string[];
  readonly writable: readonly string[];
  /** Folders that are empty at the start and gone at the end. Writable, but for /run: nothing is put where it is lost. */
  readonly fresh: readonly string[];
  /** The folder that serves as /tmp and /var/tmp instead of fresh ones. */
  readonly tmp?: string;
  /** Where temporary files go. */
  readonly temporary: string;
  /** `proxy`: no network but what a proxy lets through. `host`: that of the machine. */
  readonly network: "none" | "proxy" | "host";
  /** Which processes are in sight. Those of the machine can be looked at and not touched. */
  readonly processes: "own" | "machine";
  /** The ids that the program sees, where they are not the caller's. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** What this fence does not hold, each a sentence for people. */
  readonly weaknesses: readonly string[];
}

/** What a fence needs to know of the workspace. */
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
  /** `false`: it can make no socket, so those of the machine need no hiding. Default `true`. */
  readonly mayConnect?: boolean;
  /** Default `own`. */
  readonly processes?: Fence["processes"];
  /** Files and folders that settings add. All absolute. */
  readonly extra?: { readonly writable?: readonly string[]; readonly hidden?: readonly string[] };
  /** The folder of Haft's own state: hidden, but for what `workspace.readable` names. */
  readonly state?: string;
  /** A folder that serves as /tmp and /var/tmp, so that one command finds there what another left. */
  readonly tmp?: string;
  /** Where the program stands: it is shown if it lies in a folder that is fresh inside. */
  readonly cwd?: string;
  /** Where programs are looked for. */
  readonly searchPath?: string;
  /** Remembers trees from one plan to the next. */
  readonly trees?: TreeReader;
}

/** Folders of temporary files, for which one of the session stands: what a command leaves there is not lost with it. */
export const STANDS_FOR_TMP: readonly string[] = ["/tmp", "/var/tmp"];
const FRESH: readonly string[] = [...STANDS_FOR_TMP, "/run"];
/** For who changes nothing: what lies in temporary folders may be read, sockets are best not even there. */
const FRESH_FOR_READERS: readonly string[] = ["/run"];
/** What of /run programs need where it exists: NixOS keeps all of them there. */
const RUN_PARTS: readonly string[] = ["/run/current-system", "/run/opengl-driver"];
/** Where systemd keeps the real resolv.conf. */
const RESOLVER = "/run/systemd/resolve";
/** Most files and folders of the workspace that are held or hidden: each is a mount. */
export const MAX_MOUNTS = 400;

/** How old what is known of a very large workspace may be for who only reads, see docs/sandbox.md. */
const READ_AGE_MS = 10_000;

/** Plans what a program may see and change. Fails with `sandbox_unavailable` where no fence can hold what was asked. */
export async function planFence(request: FenceRequest): Promise<Fence> {
  const { bound, workspace, network = "none", use = "write", extra = {}, trees = createTreeReader() } = request;
  const isReader = use === "read";
  const [home = workspace.home] = realPaths([workspace.home]);
  const named = outermost(realPaths([workspace.root, ...workspace.additional]));
  // Reading, there is nothing to be told from the machine; what is private in it is known by other ways.
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
  const emptied = isReader ? [...FRESH_FOR_READERS, ...(request.tmp === undefined ? [] : STANDS_FOR_TMP)] : FRESH;
  // Without somebody's work in it, nobody has to put it there.
  const isInMemory = (path: string) => isWithin(MEMORY, path);
  const memory = [...open, request.cwd ?? "", ...readNames(bound)].some(isInMemory) ? [MEMORY] : [];
  // What stands for temporary folders does so for all commands of a session: one lists there what another left.
  const stands = [MEMORY, ...(request.tmp === undefined ? [] : STANDS_FOR_TMP)];
  const fresh = realPaths([...emptied, ...memory]).filter(
    (folder) => !isReader || stands.includes(folder) || !isRead(folder, bound),
  );
  const visible = [...realPaths(shownNames(request, roots, fresh)), ...exactPaths(shownReads(request, fresh))];
  const personal = personalOf(request, { home, roots: named, fresh });
  const seen = [...open, ...visible, ...personal.shown];
  const outside = hiddenOutside({
    ...{ home, guards, names, open, seen, mayConnect: request.mayConnect ?? true },
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
      ...(await twinsOf([...hidden, ...realPlaces(privateInHome(home))], whole.length > 0 ? whole : read, guards)),
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
    // Programs that see themselves as root try what they may not; the rights on files stay the caller's. Readers tell who
    // owns what, and should tell the truth.
    ...(isRoot && !isReader ? { identity: { uid: 1000, gid: 1000 } } : {}),
    weaknesses: [
      ...BWRAP_WEAKNESSES,
      ...(isRoot ? [ROOT_WEAKNESS] : []),
      ...(network === "host" ? [NETWORK_WEAKNESS] : []),
      ...(network === "proxy" ? [PROXY_WEAKNESS] : []),
      ...(["x64", "arm64"].includes(process.arch) ? [] : [FILTER_WEAKNESS]),
      ...(read.every((tree) => tree.complete) ? [] : [SIZE_WEAKNESS]),
    ],
  };
}

const NONE: Survey = { held: [], reopened: [], anchored: [], links: [], sealed: [], hidden: [] };

const readWhole = (trees: TreeReader, roots: readonly string[]): Promise<readonly Tree[]> =>
  Promise.all(roots.map((root) => trees.read(root, { whole: true })));

/** Who changes nothing needs nothing held. `whole`: the trees in which something is closed to it. */
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

/** What must be there although it lies in a folder that is fresh or hidden. */
function shownNames(
  { workspace, cwd, network }: FenceRequest,
  roots: readonly string[],
  fresh: readonly string[],
): readonly string[] {
  const stands = [...roots, ...(cwd === undefined ? [] : [cwd])].filter((path) => isInFresh(path, fresh));
  return [...(workspace.readable ?? []), ...RUN_PARTS, ...(network === "host" ? [RESOLVER] : []), ...stands];
}

/** The same of what was granted for reading. */
const shownReads = ({ bound, use }: FenceRequest, fresh: readonly string[]): readonly string[] =>
  readNames(bound).filter((path) => (use === "read" || isWithin(MEMORY, path)) && isInFresh(path, fresh));

const isInFresh = (path: string, fresh: readonly string[]): boolean =>
  fresh.some((folder) => isWithin(folder, path) && (folder !== path || folder === MEMORY));

/** What of people's folders is there, see `personalPlaces`. What is served has its own folders, and those that are fresh are empty. */
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

/** Whether a folder, or one that it lies in, was granted for reading. */
const isRead = (folder: string, bound: Bound): boolean => readsOf(bound).some(({ path }) => isWithin(path, folder));

/** What lies in hidden folders and a read effect names. */
const openedIn = (hidden: readonly RealPlace[], bound: Bound): readonly string[] =>
  readsOf(bound).flatMap((effect) =>
    hidden.some(({ path, isFolder }) => isFolder && isWithin(path, effect.path)) ? [effect.path] : [],
  );

const unique = (paths: readonly string[]): readonly string[] => [...new Set(paths)];

/** Folders that are the machine itself. */
const SYSTEM: ReadonlySet<string> = new Set(
  ["", "bin", "boot", "dev", "etc", "home", "lib", "lib64", "proc", "run", "sbin", "sys", "tmp", "usr", "var"].map(
    (name) => `/${name}`,
  ),
);

const isSystem = (root: string): boolean =>
  SYSTEM.has(root) ||
  root === MEMORY ||
  (["/proc", "/sys", "/dev"].some((folder) => isWithin(folder, root)) && !isWithin(MEMORY, root));

/**
 * Whether what a grant closes below a folder is found and hidden from who only reads: in the workspace it is, elsewhere and in
 * folders that are the machine itself nobody looks for it.
 */
export const surveysFor = (
  folder: string,
  { root, additional }: Pick<FencedWorkspace, "root" | "additional">,
): boolean => [root, ...additional].some((outer) => !isSystem(outer) && isWithin(outer, folder));

function refuseSystem(root: string): void {
  if (!isSystem(root)) return;
  fail(
    "sandbox_unavailable",
    `${root} is a folder of the system: no fence can tell work in it from the machine.`,
    "Start Haft in a folder of your own.",
  );
}

function refuseTooMany(count: number): void {
  if (count <= MAX_MOUNTS) return;
  fail(
    "sandbox_unavailable",
    `${count} files and folders of the workspace would have to be held one by one; at most ${MAX_MOUNTS} can be.`,
    "Write deny rules for folders instead of single files.",
  );
}
