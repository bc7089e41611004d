import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "@haft/core/tool";
import { isOfMachine } from "./environment.ts";
import { type Fence, STANDS_FOR_TMP } from "./fence/index.ts";
import type { Mounted } from "./inside/mounted.ts";

/** The number of the descriptor from which the filter for system calls is read: the first that is free. */
export const FILTER_FD = 4;

/** A program as it runs in a fence. */
export interface Confined {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** A word that marks this run among the arguments of bwrap, so that its processes can be found. */
  readonly mark?: string;
  /** What stands for a hidden file: one that cannot be opened, see `maskAt`. Default: a device, which cannot either. */
  readonly mask?: string;
  /** Number of the descriptor from which the filter for system calls is read. */
  readonly filter?: number;
  /** It has a terminal of its own, which it keeps: keys of it end what runs there. Any other would be the person's. */
  readonly hasTerminal?: boolean;
  /** It stands in the network of the machine: for a program that its filter keeps from making sockets. */
  readonly isSocketless?: boolean;
  /** A socket outside, and where in /run it is found inside. */
  readonly socket?: { readonly from: string; readonly to: string };
  /** The workspace and its further folders. */
  readonly roots?: readonly string[];
}

/**
 * The arguments of bubblewrap (0.8 or later) for a program in a fence; a pure function. The environment is not among
 * them: arguments are visible to everyone on the machine, and what bwrap itself was started with can be read inside
 * (/proc/1/environ), so bwrap has to be started with the environment that the program shall have.
 */
export function bwrapArgv(fence: Fence, program: Confined): string[] {
  return [
    ...["--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    // The first program is the first process of its namespace: it ends after all others there, and bubblewrap after it.
    ...(fence.processes === "own" ? ["--unshare-pid", "--as-pid-1"] : []),
    // A network of its own is half of what a fence costs.
    ...(fence.network === "host" || program.isSocketless ? [] : ["--unshare-net"]),
    ...["--disable-userns", "--die-with-parent", "--cap-drop", "ALL"],
    ...(program.hasTerminal ? [] : ["--new-session"]),
    ...(fence.identity ? ["--uid", `${fence.identity.uid}`, "--gid", `${fence.identity.gid}`] : []),
    ...mountArgv(fence, program),
    ...(program.filter === undefined ? [] : ["--seccomp", `${program.filter}`]),
    ...(program.mark === undefined ? [] : ["--unsetenv", program.mark]),
    ...["--chdir", program.cwd, "--", ...program.argv],
  ];
}

interface Mount {
  readonly path: string;
  readonly argv: readonly string[];
}

/** Where services of the machine meet. Nothing that is put there could be kept, so nothing can be. */
const RUN = "/run";

/** What of a fence is a mount, for `mountCheck`. */
export const mountedBy = (fence: Fence, program: Around): readonly Mounted[] =>
  mountsOf(fence, program).flatMap(({ path, argv }) =>
    argv.includes("--symlink") ? [] : [{ path, isItself: argv[1] === path }],
  );

type Around = Pick<Confined, "mask" | "socket" | "roots">;

/** Shallow places first: a mount covers what was mounted below it before. */
function mountsOf(fence: Fence, { mask = "/dev/null", socket, roots = [] }: Around): readonly Mount[] {
  const byPath = new Map<string, Mount>();
  const bind = (option: string, path: string, from = path) => ({ path, argv: [option, from, path] });
  const folder = (mode: string, path: string) => ({ path, argv: ["--perms", mode, "--tmpfs", path] });
  const freshAt = (path: string): Mount => {
    if (STANDS_FOR_TMP.includes(path) && fence.tmp !== undefined) return bind("--bind", path, fence.tmp);
    return folder(path === RUN ? "0755" : "1777", path);
  };
  const closed = closedOf(fence);
  const inside = [...fence.readOnly, ...fence.writable, ...fence.aliases.map(({ path }) => path)];
  const letsThrough = (path: string) => fence.emptied.includes(path) || inside.some((place) => isWithin(path, place));
  const all: Mount[] = [
    { path: "/", argv: ["--ro-bind", "/", "/"] },
    { path: "/dev", argv: ["--dev", "/dev"] },
    fence.processes === "own" ? { path: "/proc", argv: ["--proc", "/proc"] } : bind("--ro-bind", "/proc"),
    ...fence.fresh.map(freshAt),
    ...(socket ? [bind("--ro-bind", socket.to, socket.from)] : []),
    ...fence.writable.map((path) => bind("--bind", path)),
    ...fence.anchored.map((path) => bind("--bind", path)),
    ...fence.readOnly.map((path) => bind("--ro-bind", path)),
    ...fence.sealed.map((path) => folder("0555", path)),
    ...fence.aliases.map(({ path, target }) => ({ path, argv: ["--symlink", target, path] })),
    // Some let through and list nothing: those on the way to something that may be seen, and those of people, in which programs
    // look for settings that need not be there.
    ...closed.map((path) => folder(letsThrough(path) ? "0111" : "0000", path)),
    ...fence.hidden.filter(({ isFolder }) => !isFolder).map(({ path }) => bind("--ro-bind", path, mask)),
  ];
  for (const mount of all) byPath.set(mount.path, mount);
  // Where something in a workspace is mounted, so is the workspace itself: by that `mountCheck` knows where it lies.
  for (const root of roots)
    if (!byPath.has(root) && all.some(({ path }) => isWithin(root, path))) byPath.set(root, bind("--ro-bind", root));
  return [...byPath.values()].sort((a, b) => depth(a.path) - depth(b.path));
}

function mountArgv(fence: Fence, program: Around): string[] {
  const ordered = mountsOf(fence, program);
  const byPath = new Map(ordered.map((mount) => [mount.path, mount]));
  const closed = closedOf(fence);
  const run = fence.fresh.filter((path) => path === RUN);
  const still = [...run, ...fence.sealed, ...closed].filter((path) => byPath.get(path)?.argv.includes("--tmpfs"));
  // Who keeps temporary files elsewhere only looks at those of others; but places for what is mounted below are made first.
  const looked = fence.tmp !== undefined && fence.temporary !== "/tmp" ? ["/tmp"] : [];
  // A process that is root outside may set up the kernel through the files of any /proc.
  const fixed = [...still, ...looked, ...(fence.processes === "own" ? ["/proc"] : [])];
  return [...ordered.flatMap(({ argv }) => argv), ...fixed.flatMap((path) => ["--remount-ro", path])];
}

const closedOf = (fence: Fence): readonly string[] => [
  ...fence.hidden.filter(({ isFolder }) => isFolder).map(({ path }) => path),
  ...fence.emptied,
];

const depth = (path: string): number => (path === "/" ? 0 : path.split("/").length - 1);

/** Where programs of the system lie when PATH says nothing. */
const USUAL = "/usr/bin:/usr/local/bin:/bin";

/**
 * The bubblewrap of this machine: from absolute entries of PATH only, and never one that lies, or whose link leads, into
 * a folder that an agent may write to.
 */
export async function findBwrap(workspaces: readonly string[], path = process.env.PATH): Promise<string | undefined> {
  // A few looks at folders that are at hand: at the start of a short command, waiting for each costs more than looking.
  const roots = workspaces.map((root) => realOf(root) ?? root);
  for (const folder of (path || USUAL).split(":")) {
    if (!folder.startsWith("/")) continue;
    const real = realOf(`${folder}/bwrap`);
    if (real === undefined) continue;
    const isOwn = [folder, dirname(real)].every(isOfMachine);
    if (!isOwn && roots.some((root) => isWithin(root, real) || isWithin(root, folder))) continue;
    if (isProgram(real)) return real;
  }
  return undefined;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Words that are the same as long as a path leads to the same program, and nothing was written into it. */
export function programMark(path: string): string | undefined {
  const real = realOf(path);
  const found = real === undefined ? undefined : statSync(real, { bigint: true, throwIfNoEntry: false });
  if (real === undefined || !found) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = found;
  return [real, dev, ino, size, mtimeNs, ctimeNs].join(":");
}
