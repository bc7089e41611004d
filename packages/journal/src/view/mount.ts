import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalCall } from "@haft/core/executor";
import type { Spawn } from "@haft/host";
import { fromBytes, toSystem } from "../image/raw-path.ts";
import { traceOf } from "../image/trace.ts";
import { baseIn } from "../store/folder.ts";
import { openFolders } from "./open-folders.ts";
import { clockNow } from "./read/clock.ts";
import { upperOf, workOf } from "./supply.ts";

/**
 * The privileges for mounts: those of real root, or of a user namespace. `clone`: a copy of the folder is mounted over it,
 * where the file system cannot be the base of an overlay.
 */
export type Variant = "root" | "user" | "root-clone" | "user-clone";

export const isClone = (variant: Variant): boolean => variant.endsWith("-clone");

/** The copy that is mounted for a view in an annex. */
const copyFor = (folder: string): string => join(baseIn(join(folder, "../..")), "tree");

/** A copy-on-write view of `root`: writes go to the upper layer, and the folder itself stays unchanged. */
export interface View {
  /** The folder of its layers. */
  readonly folder: string;
  readonly root: string;
  readonly variant: Variant;
}

/** Created after the mount: a command has run if and only if this file exists. */
export const markOf = ({ folder }: Pick<View, "folder">): string => join(folder, "mounted");
/** Created when leftover processes of a command had to be ended. */
export const leftMarkOf = ({ folder }: Pick<View, "folder">): string => `${join(folder, "mounted")}.left`;
/** Its change time is the creation time of the view, on the clock of the workspace's file system. */
export const startMarkOf = (folder: string): string => join(folder, "start");

/** The owner of a view, for the process that finds the view after a crash. */
export interface ViewOwner extends JournalCall {
  /** The process that created it. */
  readonly writer: string;
  readonly variant: Variant;
}

/** The folder that contains the views of a journal. */
export const viewsIn = (annex: string): string => join(annex, "views");

/** Creates the layers of a view without an owner. */
export function createView(view: View): void {
  mkdirSync(view.folder, { recursive: true, mode: 0o700 });
  for (const path of [upperOf(view.folder), workOf(view.folder)]) mkdirSync(path, { mode: 0o700 });
  writeFileSync(startMarkOf(view.folder), "");
}

/**
 * Makes it the view of this owner's command, which sees the current state of the folder. `declared`: files that the
 * command says it writes. Their marks show later whether somebody else has changed them.
 */
export function claimView(
  { folder, variant }: View,
  owner: Omit<ViewOwner, "variant">,
  declared: readonly string[] = [],
): void {
  const marks = declared.map((path) => [path, traceOf(path)?.mark ?? ""]);
  writeFileSync(startMarkOf(folder), JSON.stringify({ ...owner, variant, clock: clockNow(), marks }));
}

/** The marks of the declared files at the start of a view's command; `""`: there was none. */
export function marksAtStart(folder: string): ReadonlyMap<string, string> {
  try {
    return new Map(JSON.parse(readFileSync(startMarkOf(folder), "utf8")).marks);
  } catch {
    return new Map();
  }
}

/** Number of 50 ms steps for which leftover processes of a command may run on. */
const DRAIN_STEPS = 40;

/**
 * Layers are passed as descriptors, so that no odd name gets into the mount's options. Programs have absolute paths,
 * because PATH is the command's.
 */
const MOUNT = [
  'exec 7<"$1" 8<"$2" 9<"$3"; mark=$4; root=$1',
  "o=lowerdir=/proc/self/fd/7,upperdir=/proc/self/fd/8,workdir=/proc/self/fd/9,userxattr",
  "mount=/usr/bin/mount; [ -x $mount ] || mount=/bin/mount",
  // A read must not change access times: they tell whether a file with several names was written in place.
  'overlay() { $mount -n -i -t overlay haft -o "$1,noatime" -- "$root"; }',
  // Without `volatile`, each changed file waits for the disk. After a power cut, a view is useless anyway.
  "overlay $o,volatile 2>/dev/null || overlay $o || exit 1",
  'exec 7<&- 8<&- 9<&-; cd "$5" || exit 1; : >"$mark"; shift 5',
].join("\n");

/** Mounts a copy over the folder. */
const BIND = [
  "mark=$4; mount=/usr/bin/mount; [ -x $mount ] || mount=/bin/mount",
  '$mount -n --bind -- "$2" "$1" || exit 1',
  'cd "$5" || exit 1; : >"$mark"; shift 5',
].join("\n");

/**
 * The command runs in its own process namespace. Its leftover processes have two seconds to end; then all are killed,
 * so that the upper layer is final when this returns.
 */
const DRAIN = [
  '"$@"; code=$?; n=0; sleep=/usr/bin/sleep; [ -x $sleep ] || sleep=/bin/sleep',
  "others() { for p in /proc/[0-9]*; do [ $p = /proc/1 ] || return 0; done; return 1; }",
  `while others; do n=$((n+1)); [ $n -gt ${DRAIN_STEPS} ] && break; $sleep 0.05; done 2>/dev/null`,
  `if [ $n -gt ${DRAIN_STEPS} ]; then : >"$mark.left"; kill -TERM -1; $sleep 0.2; fi 2>/dev/null; exit $code`,
].join("\n");

/** The parts of a program that a view changes. */
type Around = Pick<Spawn, "argv" | "cwd" | "env">;

/**
 * The program that runs `command` within the view. `isConfined`: a sandbox inside ends leftover processes. `isOurs`:
 * it is one of our own checks, with all rights over the user's files.
 */
export function withinView(
  { folder, root, variant }: View,
  command: Around,
  isConfined = false,
  isOurs = false,
): Around {
  const [mount, layer] = isClone(variant) ? [BIND, copyFor(folder)] : [MOUNT, upperOf(folder)];
  const isUser = variant.startsWith("user");
  const script = `${mount}\n${isConfined ? 'exec "$@"' : DRAIN}`;
  return {
    argv: [
      ...[UNSHARE, ...(isUser ? ["--user", "--map-root-user"] : [])],
      ...["--mount", "--propagation", "slave", "--pid", "--fork", "--kill-child", "--mount-proc"],
      ...["/bin/sh", "-c", script, "haft-view", root, layer, workOf(folder), markOf({ folder }), command.cwd],
      ...(isUser && !isOurs ? asOneself() : []),
      ...command.argv,
    ],
    cwd: "/",
    env: command.env,
  };
}

export const UNSHARE = "/usr/bin/unshare";

/** Root in the namespace is only for mounting: programs see their own user. */
export function asOneself(): readonly string[] {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  return uid === 0 ? [] : [UNSHARE, "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"];
}

/** Tests whether a view works for a folder in `annex`: a file written in it must be only in its upper layer. */
export function tryView(annex: string, variant: Variant): boolean {
  const base = join(annex, `try-${process.pid}-${variant}`);
  try {
    const root = join(base, "root");
    const view = { folder: join(viewsIn(base), "view"), root, variant };
    const layer = isClone(variant) ? copyFor(view.folder) : upperOf(view.folder);
    for (const folder of [root, copyFor(view.folder)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    createView(view);
    const argv = ["/bin/sh", "-c", ": > made"];
    runWithin(view, { argv, cwd: root, env: {} }, "");
    return existsSync(join(layer, "made")) && !existsSync(join(root, "made"));
  } catch {
    return false;
  } finally {
    // The overlay leaves folders that only root can read.
    openFolders(base);
    rmSync(base, { recursive: true, force: true });
  }
}

/** The names in folders of a finished view, as programs saw them. A missing entry of the real folder was removed. */
export function namesInView(view: View, folders: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  if (folders.length === 0) return new Map();
  const list = 'for d; do printf "%s\\0" "$d"; find "$d" -mindepth 1 -maxdepth 1 -printf "%f\\0"; printf "\\0"; done';
  const argv = ["xargs", "-0", "-n", "500", "/bin/sh", "-c", list, "sh"];
  const input = Buffer.concat(folders.flatMap((path) => [Buffer.from(toSystem(path)), Buffer.from("\0")]));
  rmSync(markOf(view), { force: true });
  // With this, a volatile layer refuses to be mounted again after a power cut. There was none.
  openFolders(workOf(view.folder));
  rmSync(join(workOf(view.folder), "work", "incompat"), { recursive: true, force: true });
  const output = runWithin(view, { argv, cwd: "/", env: { PATH: "/usr/bin:/bin" } }, input);
  if (!existsSync(markOf(view))) throw new Error("The view cannot be reopened.");
  return parseNames(output);
}

/** Each folder is followed by its names and an empty word. */
function parseNames(output: Buffer): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  let current: Set<string> | undefined;
  for (let from = 0; from < output.length; ) {
    const end = output.indexOf(0, from);
    const word = fromBytes(output.subarray(from, end));
    from = end + 1;
    if (word === "") current = undefined;
    else if (current) current.add(word);
    else {
      current = new Set();
      names.set(word, current);
    }
  }
  return names;
}

/** Runs a short command in a view and returns its output. */
function runWithin(view: View, command: Around, input: Buffer | string): Buffer {
  const { argv, cwd, env } = withinView(view, command, true, true);
  const ran = spawnSync(argv[0]!, argv.slice(1), { cwd, env, input, maxBuffer: 1 << 30, timeout: 60_000 });
  if (ran.status === 0) return ran.stdout;
  throw new Error(`${ran.stderr ?? ran.error ?? ""}`.trim() || "The view could not be created.");
}
