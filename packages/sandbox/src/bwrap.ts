import { isWithin } from "@haft/core/tool";
import { type Fence, STANDS_FOR_TMP } from "./fence/index.ts";
import type { Mounted } from "./inside/mounted.ts";

/** The descriptor from which bubblewrap reads the system call filter: the first free number. */
export const FILTER_FD = 4;

/** A program to run in a fence. */
interface Confined {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** A word among the arguments of bwrap that marks this run, to find its processes. */
  readonly mark?: string;
  /** The file mounted over hidden files: one that cannot be opened, see `maskAt`. Default: a device, which cannot be opened either. */
  readonly mask?: string;
  /** Number of the descriptor from which bubblewrap reads the system call filter. */
  readonly filter?: number;
  /** It has and keeps a terminal of its own, whose keys end what runs there. Any other terminal would be the person's. */
  readonly hasTerminal?: boolean;
  /** It shares the machine's network: for a program whose filter forbids sockets. */
  readonly isSocketless?: boolean;
  /** A socket outside, and its path in /run inside. */
  readonly socket?: { readonly from: string; readonly to: string };
  /** The workspace and its further folders. */
  readonly roots?: readonly string[];
}

/**
 * The arguments of bubblewrap (0.8 or later) for a program in a fence; a pure function. They do not contain the
 * environment: arguments are visible to everyone on the machine. The program can read the environment of bwrap itself
 * (/proc/1/environ), so start bwrap with the program's environment.
 */
export function bwrapArgv(fence: Fence, program: Confined): string[] {
  return [
    ...["--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    // The program is the first process of its namespace: it ends after all others there, and bubblewrap after it.
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

/** The folder of the machine's service sockets. Files put there would be lost, so it is read-only. */
const RUN = "/run";

/** The mounts of a fence, for `mountCheck`. */
export const mountedBy = (fence: Fence, program: Around): readonly Mounted[] =>
  mountsOf(fence, program).flatMap(({ path, argv }) =>
    argv.includes("--symlink") ? [] : [{ path, isItself: argv[1] === path }],
  );

type Around = Pick<Confined, "mask" | "socket" | "roots">;

/** The last mounts of a fence: one start asks for them several times. */
const known = new WeakMap<Fence, Around & { readonly mounts: readonly Mount[] }>();

function mountsOf(fence: Fence, around: Around): readonly Mount[] {
  const { mask, socket, roots } = around;
  const last = known.get(fence);
  if (last && last.mask === mask && last.socket === socket && last.roots === roots) return last.mounts;
  const mounts = mountsFor(fence, around);
  known.set(fence, { ...around, mounts });
  return mounts;
}

/** Shallow places first: a mount covers earlier mounts below it. */
function mountsFor(fence: Fence, { mask = "/dev/null", socket, roots = [] }: Around): readonly Mount[] {
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
    // Some can be traversed but not listed: folders on the way to a visible path, and personal ones, in which programs look for
    // optional settings.
    ...closed.map((path) => folder(letsThrough(path) ? "0111" : "0000", path)),
    ...fence.hidden.filter(({ isFolder }) => !isFolder).map(({ path }) => bind("--ro-bind", path, mask)),
  ];
  for (const mount of all) byPath.set(mount.path, mount);
  // If a path in a workspace is mounted, mount the workspace itself too: `mountCheck` needs its location.
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
  // A program with its temporary files elsewhere only reads /tmp. Remount last, after the mount points below it exist.
  const looked = fence.tmp !== undefined && fence.temporary !== "/tmp" ? ["/tmp"] : [];
  // A process that is root outside could configure the kernel through the files of any /proc.
  const fixed = [...still, ...looked, ...(fence.processes === "own" ? ["/proc"] : [])];
  return [...ordered.flatMap(({ argv }) => argv), ...fixed.flatMap((path) => ["--remount-ro", path])];
}

const closedOf = (fence: Fence): readonly string[] => [
  ...fence.hidden.filter(({ isFolder }) => isFolder).map(({ path }) => path),
  ...fence.emptied,
];

const depth = (path: string): number => (path === "/" ? 0 : path.split("/").length - 1);
