import { isWithin } from "@haft/core/tool";
import { escapedMount, type MountEntry, mountsBelow } from "@haft/host/process";
import { quote } from "./shell-word.ts";

/** A folder or file that bubblewrap mounts. `isItself`: the source has the same path outside; nothing else takes its place. */
export interface Mounted {
  readonly path: string;
  readonly isItself: boolean;
}

/** The exit code if a mount is in the wrong place, and the message on descriptor 3. */
export const MOVED = 124;
export const MOVED_WORDS = "moved";

/**
 * Collects " DEVICE:FROM AT " of each mount. A shell's `read` costs a system call a character, about 4 ms for 100 mounts; `cat` and string
 * operations take a third of that. Without `cat` the table is empty and the check fails.
 */
const READ_TABLE: readonly string[] = [
  "haft_table=; haft_ifs=$IFS; IFS='\n'; set -f",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
  'for haft_a in $(/bin/cat /proc/self/mountinfo); do haft_a=${haft_a#* * }; haft_device=${haft_a%% *}; haft_a=${haft_a#* }; haft_from=${haft_a%% *}; haft_a=${haft_a#* }; haft_table="$haft_table $haft_device:$haft_from ${haft_a%% *} "; done',
  "set +f; IFS=$haft_ifs",
];

/**
 * Shell lines that check whether all mounts below the workspace are in the right place, and exit if not. While bubblewrap
 * resolves names one after another, a program outside can swap a folder for a link. A mount then covers, or shows, a place
 * outside. The kernel's mount table has the real location of each mount: its path in the file system, which must be the
 * workspace's path followed by the same names. Below a mount of the machine in the workspace, it must be the path of that mount.
 */
export function mountCheck(
  mounts: readonly Mounted[],
  roots: readonly string[],
  ofMachine: (root: string) => readonly MountEntry[] = mountsBelow,
): readonly string[] {
  const checked = roots.flatMap((root) => {
    const below = mounts.filter(({ path }) => path !== root && isWithin(root, path));
    return below.length === 0 ? [] : [{ root, below }];
  });
  if (checked.length === 0) return [];
  return [
    `haft_moved() { printf ${MOVED_WORDS} >&3; exit ${MOVED}; }`,
    ...READ_TABLE,
    ...checked.flatMap(({ root, below }) => checksOf(root, below, mounts, ofMachine(root))),
  ];
}

function checksOf(
  root: string,
  below: readonly Mounted[],
  all: readonly Mounted[],
  ofMachine: readonly MountEntry[],
): readonly string[] {
  const at = quote(escapedMount(root));
  return [
    // The mount of the workspace itself, which programs in it cannot move. The last mount on it counts.
    `case "$haft_table" in *" "${at}" "*) ;; *) haft_moved;; esac`,
    `haft_root=\${haft_table%" "${at}" "*}; haft_root=\${haft_root##* }; haft_root=\${haft_root%/}`,
    ...below.map(({ path, isItself }) => {
      const source = isItself ? sourceOf(path, root, ofMachine) : "";
      const inherited = ofMachine.filter((one) => one.path === path).length * all.filter(isCopyAround(path)).length;
      if (inherited > 0) return lastOf(quote(escapedMount(path)), inherited + 1, source);
      return `case "$haft_table" in *" "${source && `${source}" "`}${quote(escapedMount(path))}" "*) ;; *) haft_moved;; esac`;
    }),
  ];
}

/** A mount of a folder on itself brings the mounts of the machine below it along. */
const isCopyAround =
  (path: string) =>
  (one: Mounted): boolean =>
    one.isItself && one.path !== path && isWithin(one.path, path);

/** If a mount of the machine has the same place, ours must be there as well, and the last. */
const lastOf = (at: string, count: number, source: string): string =>
  [
    "haft_rest=$haft_table; haft_count=0",
    `while case "$haft_rest" in *" "${at}" "*) ;; *) false;; esac; do haft_rest=\${haft_rest#*" "${at}" "}; haft_count=$((haft_count+1)); done`,
    `[ $haft_count = ${count} ] || haft_moved`,
    `haft_rest=\${haft_table%" "${at}" "*}`,
    ...(source === "" ? [] : [`[ "\${haft_rest##* }" = ${source} ] || haft_moved`]),
  ].join("; ");

/** The device of a path and its path there, as the mount table has them. */
function sourceOf(path: string, root: string, ofMachine: readonly MountEntry[]): string {
  const mount = ofMachine
    .filter((one) => isWithin(one.path, path))
    .reduce<MountEntry | undefined>(
      (best, one) => (best && best.path.length > one.path.length ? best : one),
      undefined,
    );
  if (mount === undefined) return `"$haft_root"${quote(escapedMount(path.slice(root.length)))}`;
  const from = `${mount.from === "/" ? "" : mount.from}${path.slice(mount.path.length)}` || "/";
  return quote(`${mount.device}:${escapedMount(from)}`);
}

/** A shell line that checks whether the command really starts in its folder. */
export const folderCheck = (cwd: string): string =>
  `cd -P . && [ "$PWD" = ${quote(cwd)} ] || { printf ${MOVED_WORDS} >&3; exit ${MOVED}; }`;
