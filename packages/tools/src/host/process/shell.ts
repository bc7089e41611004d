import { access, constants } from "node:fs/promises";

/** A shell and how it is told a script. */
export interface Shell {
  readonly path: string;
  /** Whether the wrapper below works in it. */
  readonly isBash: boolean;
}

/**
 * Runs a script and afterwards writes the folder in which the shell ended to file descriptor 3.
 *
 * The script is evaluated by the same reader that `bash -c` uses, so it means what it means there: same exit code, also
 * of a syntax error; no positional parameters; `exit`, `exec`, `set -e` and traps work, and then the folder is simply not
 * learnt. Nothing is appended to the text, where an open here-document would swallow it, and no EXIT trap is used, which
 * the script could see. Descriptor 3 is moved away first so that the script may use it.
 */
const WRAPPER = [
  '__haft_script=$1; set --; exec {__haft_fd}>&3 3>&-; eval "$__haft_script"',
  // A script that ends in a backslash makes bash take the next character as quoted: let it be this line's end.
  "",
  '{ __haft_code=$?; builtin pwd -P >&"$__haft_fd" || :; set +xv; } 2>/dev/null; builtin exit "$__haft_code"',
].join("\n");

/** The program and its arguments for a script. */
export function shellCommand(shell: Shell, script: string): string[] {
  if (!shell.isBash) return [shell.path, "-c", script];
  return [shell.path, "--noprofile", "--norc", "-c", WRAPPER, "bash", script];
}

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
