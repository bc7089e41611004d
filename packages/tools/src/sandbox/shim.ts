import type { SandboxLimits } from "@haft/core/policy";

/**
 * The first program inside, and the first process of its namespace: it sets limits, starts the command, and tells on
 * descriptor 3 when a signal ended it, which a shell says in words; bubblewrap itself only knows exit codes. The words are
 * the shell's own: a program that exits with 137 causes none. Signals meant for the command must not end this one before
 * it, and are no longer ignored in it. When it ends the kernel ends everything else inside, and then only bubblewrap ends.
 */
const SHIM = 'trap : TERM INT HUP; exec 5>&2 2>&3; (exec "$@" 2>&5 5>&-)';

/** Behind the last word on descriptor 3, when processes were left running that end with the command. */
const LEFT = 'code=$?; [ $$ = 1 ] && { set -- /proc/[0-9]*; [ $# = 1 ] || printf "\\0left" >&2; }; exit $code';

/** The exit code when the relay did not start. */
export const RELAY_FAILED = 125;

/** Most processes of one command, unless the settings say otherwise. */
const PROCESSES = 4096;

export interface Inside {
  readonly argv: readonly string[];
  /** `none`: who only reads forks no bombs and writes no core. */
  readonly limits?: SandboxLimits | "none";
  /** A program that must have ended well before the command starts: it opens the way to the network. */
  readonly relay?: readonly string[];
}

/** A program as it is started inside, within its limits. A limit that the system does not know is left out. */
export function withinShim({ argv, limits = {}, relay }: Inside): readonly string[] {
  const lines = [
    ...(limits === "none" ? [] : limitLines(limits)),
    ...(relay ? [`${relay.map(quote).join(" ")} 2>&3 3>&- || exit ${RELAY_FAILED}`] : []),
  ];
  return ["/bin/sh", "-c", [...lines, SHIM, LEFT].join("; "), "haft-shim", ...argv];
}

function limitLines({ processes = PROCESSES, memoryMB }: SandboxLimits): readonly string[] {
  const set = (line: string): string => `{ ${line}; } 2>/dev/null`;
  return [
    set("ulimit -c 0"),
    // Shells do not agree on the letter.
    set(`ulimit -u ${processes} || ulimit -p ${processes}`),
    ...(memoryMB === undefined ? [] : [`${set(`ulimit -v ${memoryMB * 1024}`)} || exit 126`]),
  ];
}

/** A word as a shell reads it back. */
export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
