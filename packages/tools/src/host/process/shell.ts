import { access, constants } from "node:fs/promises";

/** A shell and how it is told a script. */
export interface Shell {
  readonly path: string;
  /** Whether the wrapper below works in it. */
  readonly isBash: boolean;
}

/** Descriptors that this process was itself given, and did not ask for, are closed before a script, which could name them. */
const CLOSE_GIVEN = [
  `for __haft_fd in /proc/self/fd/*; do __haft_fd=\${__haft_fd##*/}`,
  'case $__haft_fd in [0-3] | \\*) ;; *) eval "exec $__haft_fd>&-" ;; esac',
  "done; unset __haft_fd",
].join("; ");

/**
 * Whatever functions a script defines, none of them runs by itself: as POSIX wants it, `unset` is no function's name, and then `builtin`
 * is none either.
 */
const OWN_BUILTINS = "POSIXLY_CORRECT=1; unset -f builtin; unset POSIXLY_CORRECT";

/**
 * Runs a script and afterwards writes the folder in which the shell ended to file descriptor 3.
 *
 * The script is evaluated by the same reader that `bash -c` uses, so it means what it means there: same exit code, also
 * of a syntax error; no positional parameters; `exit`, `exec`, `set -e` and traps work, and then the folder is simply not
 * learnt. Nothing is appended to the text, where an open here-document would swallow it, and no EXIT trap is used, which
 * the script could see. Descriptor 3 is closed for the script, which may use the number itself: bash keeps its own copy
 * aside where no program inherits it.
 */
const wrapper = (take: string): string =>
  [
    // All before the script stands on one line, as messages count lines from here.
    `${CLOSE_GIVEN}; ${take}; set --; { eval "$__haft_script"`,
    "} 3>&-",
    // A script that ends in a backslash makes bash take the next character that it has not read as quoted: a line's end.
    "",
    `{ __haft_code=$?; ${OWN_BUILTINS}; builtin pwd -P >&3 || builtin :; builtin set +xv; } 2>/dev/null; builtin exit "$__haft_code"`,
  ].join("\n");

const GIVEN = wrapper("__haft_script=$1");
/** What a shell says on descriptor 3 that waits for its script there. */
export const WAITING = "waiting\n";
/** The script ends with the character that none can hold. Without one nothing is run. */
const AWAITED = wrapper('echo waiting >&3; IFS= read -r -d "" -u 3 __haft_script || exit 127; SECONDS=0');

/** The program and its arguments for a script. */
export function shellCommand(shell: Shell, script: string): string[] {
  return shell.isBash ? bashWith(shell, GIVEN, script) : [shell.path, "-c", script];
}

/** The same for what goes on by itself, and of which nobody learns the final folder: nothing of a wrapper is left around it. */
export const lastingCommand = (shell: Shell, script: string): string[] =>
  shell.isBash ? bashWith(shell, LASTING, script) : [shell.path, "-c", script];

const LASTING = `${CLOSE_GIVEN}; exec "$BASH" --noprofile --norc -c "$1" 3>&-`;

/** The same for a script that comes later, on descriptor 3; `undefined` for a shell that cannot wait. */
export const waitingShell = (shell: Shell): string[] | undefined =>
  shell.isBash ? bashWith(shell, AWAITED) : undefined;

const bashWith = (shell: Shell, text: string, ...script: readonly string[]): string[] => [
  ...[shell.path, "--noprofile", "--norc", "-c", text, "bash"],
  ...script,
];

/** The shell of this machine: bash, or else what POSIX calls sh. */
export async function findShell(preferred?: string): Promise<Shell> {
  const candidates = preferred ? [preferred] : ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh"];
  for (const path of candidates) if (await isProgram(path)) return { path, isBash: /(?:^|\/)bash$/.test(path) };
  return { path: preferred ?? "sh", isBash: false };
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
