import { isWithin } from "@haft/core/tool";
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
 * Collects " FROM AT " of each mount. A shell's `read` costs a system call a character, about 4 ms for 100 mounts; `cat` and string
 * operations take a third of that. Without `cat` the table is empty and the check fails.
 */
const READ_TABLE: readonly string[] = [
  "haft_table=; haft_ifs=$IFS; IFS='\n'; set -f",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
  'for haft_a in $(/bin/cat /proc/self/mountinfo); do haft_a=${haft_a#* * * }; haft_from=${haft_a%% *}; haft_a=${haft_a#* }; haft_table="$haft_table $haft_from ${haft_a%% *} "; done',
  "set +f; IFS=$haft_ifs",
];

/**
 * Shell lines that check whether all mounts below the workspace are in the right place, and exit if not. While bubblewrap
 * resolves names one after another, a program outside can swap a folder for a link. A mount then covers, or shows, a place
 * outside. The kernel's mount table has the real location of each mount: its path in the file system, which must be the
 * workspace's path followed by the same names.
 */
export function mountCheck(mounts: readonly Mounted[], roots: readonly string[]): readonly string[] {
  const checked = roots.flatMap((root) => {
    const below = mounts.filter(({ path }) => path !== root && isWithin(root, path));
    return below.length === 0 ? [] : [{ root, below }];
  });
  if (checked.length === 0) return [];
  return [
    `haft_moved() { printf ${MOVED_WORDS} >&3; exit ${MOVED}; }`,
    ...READ_TABLE,
    ...checked.flatMap(({ root, below }) => checksOf(root, below)),
  ];
}

function checksOf(root: string, below: readonly Mounted[]): readonly string[] {
  const at = quote(escaped(root));
  return [
    // The mount of the workspace itself, which programs in it cannot move. The last mount on it counts.
    `case "$haft_table" in *" "${at}" "*) ;; *) haft_moved;; esac`,
    `haft_root=\${haft_table%" "${at}" "*}; haft_root=\${haft_root##* }; [ "$haft_root" = / ] && haft_root=`,
    ...below.map(({ path, isItself }) => {
      const from = isItself ? `" $haft_root"${quote(escaped(path.slice(root.length)))}" "` : '" "';
      return `case "$haft_table" in *${from}${quote(escaped(path))}" "*) ;; *) haft_moved;; esac`;
    }),
  ];
}

/** A shell line that checks whether the command really starts in its folder. */
export const folderCheck = (cwd: string): string =>
  `cd -P . && [ "$PWD" = ${quote(cwd)} ] || { printf ${MOVED_WORDS} >&3; exit ${MOVED}; }`;

/** A path in the escaping of the kernel's mount table. */
const escaped = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
