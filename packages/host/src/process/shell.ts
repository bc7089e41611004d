import { access, constants } from "node:fs/promises";

/** A shell and how it gets a script. */
export interface Shell {
  readonly path: string;
  /** Whether the wrapper below works in it. */
  readonly isBash: boolean;
}

/** Closes inherited descriptors before a script, which could otherwise use them by number. */
const CLOSE_GIVEN = [
  `for __haft_fd in /proc/self/fd/*; do __haft_fd=\${__haft_fd##*/}`,
  'case $__haft_fd in [0-3] | \\*) ;; *) eval "exec $__haft_fd>&-" ;; esac',
  "done; unset __haft_fd",
].join("; ");

/**
 * Keeps the script's functions from running in the wrapper. In POSIX mode, a function cannot replace `unset`. It then removes
 * a function named `builtin`.
 */
const OWN_BUILTINS = "POSIXLY_CORRECT=1; unset -f builtin; unset POSIXLY_CORRECT";

/**
 * Runs a script, then writes the final folder of the shell to file descriptor 3.
 *
 * The same parser as for `bash -c` evaluates the script, so it means the same: same exit code, also for a syntax error;
 * no positional parameters. `exit`, `exec`, `set -e` and traps work; the folder then stays unknown. Nothing is appended to
 * the text, since an open here-document would swallow it. There is no EXIT trap, since the script could see it. Descriptor 3
 * is closed for the script, which may use the number itself: bash keeps its own copy where no program inherits it.
 */
const wrapper = (take: string): string =>
  [
    // Everything before the script is on one line, since messages count lines from here.
    `${CLOSE_GIVEN}; ${take}; set --; { eval "$__haft_script"`,
    "} 3>&-",
    // If a script ends in a backslash, bash reads the next character as quoted: this line end.
    "",
    `{ __haft_code=$?; ${OWN_BUILTINS}; builtin pwd -P >&3 || builtin :; builtin set +xv; } 2>/dev/null; builtin exit "$__haft_code"`,
  ].join("\n");

const GIVEN = wrapper("__haft_script=$1");
/** The message, on descriptor 3, of a shell that waits for its script on its input. */
export const WAITING = "waiting\n";
/** The script ends with a NUL, which no script can contain. Without it nothing runs. */
const AWAITED = wrapper(
  'echo waiting >&3; IFS= read -r -d "" __haft_script || exit 127; exec </dev/null || exit 127; SECONDS=0',
);

/** The program and its arguments for a script. */
export function shellCommand(shell: Shell, script: string): string[] {
  return shell.isBash ? bashWith(shell, GIVEN, script) : [shell.path, "-c", script];
}

/** The same for a background script, whose final folder is not needed: no wrapper process stays around it. */
export const lastingCommand = (shell: Shell, script: string): string[] =>
  shell.isBash ? bashWith(shell, LASTING, script) : [shell.path, "-c", script];

const LASTING = `${CLOSE_GIVEN}; exec "$BASH" --noprofile --norc -c "$1" 3>&-`;

/** The same for a script that arrives later on its input; `undefined` for a shell that cannot wait. */
export const waitingShell = (shell: Shell): string[] | undefined =>
  shell.isBash ? bashWith(shell, AWAITED) : undefined;

const bashWith = (shell: Shell, text: string, ...script: readonly string[]): string[] => [
  ...[shell.path, "--noprofile", "--norc", "-c", text, "bash"],
  ...script,
];

/** The shell of this machine: bash, or else the POSIX sh. */
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
