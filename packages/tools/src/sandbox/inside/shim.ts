import { totalmem } from "node:os";
import type { SandboxLimits } from "@haft/core/policy";
import { quote } from "./shell-word.ts";

/**
 * The first program inside, and the first process of its namespace: it sets limits, starts the command, and tells on
 * descriptor 3 when a signal ended it, which a shell says in words; bubblewrap itself only knows exit codes. The words are
 * the shell's own: a program that exits with 137 causes none. Signals meant for the command must not end this one before
 * it, and are no longer ignored in it. When it ends the kernel ends everything else inside, and then only bubblewrap ends.
 */
const SHIM = 'trap : TERM INT HUP; exec 5>&2 2>&3; (exec "$@" 2>&5 5>&-)';

/** Whoever is there before the command: the first process of the namespace, and what opens the way to the network. */
const NOTE_OWN = 'haft_own=; for haft_at in /proc/[0-9]*; do haft_own="$haft_own $haft_at "; done';

/** What the first process of a namespace says before it ends: the names of those that end with it. The dead have no arguments. */
const TELL_LEFT = [
  "haft_code=$?; haft_count=0; { for haft_at in /proc/[0-9]*; do",
  'case "$haft_own" in *" $haft_at "*) continue;; esac; [ $haft_count -lt 50 ] || continue; haft_line=;',
  'read -r haft_line <"$haft_at/cmdline"; [ -n "$haft_line" ] && read -r haft_name <"$haft_at/comm" || continue;',
  `haft_count=$((haft_count + 1)); printf '\\n\\001%s' "$haft_name" >&3;`,
  "done; } 2>/dev/null; exit $haft_code",
].join(" ");

/** The exit code when the relay did not start. */
export const RELAY_FAILED = 125;

/** Most processes of one command, unless the settings say otherwise. */
const PROCESSES = 4096;

export interface Inside {
  readonly argv: readonly string[];
  /** `reader`: who only reads forks no bombs and writes no core, but may keep what it reads. */
  readonly limits?: SandboxLimits | "reader";
  /** A program that must have ended well before the command starts: it opens the way to the network. */
  readonly relay?: readonly string[];
  /** It is the first process of its namespace, and tells what it leaves running, see `leftIn`. */
  readonly tellsLeft?: boolean;
  /** Lines that come first, see `mountCheck`. */
  readonly checks?: readonly string[];
}

/** A program as it is started inside, within its limits. A limit that the system does not know is left out. */
export function withinShim({ argv, limits = {}, relay, tellsLeft = false, checks = [] }: Inside): readonly string[] {
  const lines = [
    ...checks,
    ...(limits === "reader" ? readerLines() : limitLines(limits)),
    ...(relay ? [`${relay.map(quote).join(" ")} 2>&3 3>&- || exit ${RELAY_FAILED}`] : []),
  ];
  return [
    "/bin/sh",
    "-c",
    [...lines, ...(tellsLeft ? [NOTE_OWN, SHIM, TELL_LEFT] : [SHIM, "exit $?"])].join("; "),
    "haft-shim",
    ...argv,
  ];
}

/** Least data that a reader may keep, in KiB: a machine with little memory has swap, and some programs want much at once. */
const LEAST_DATA = 1024 * 1024;

/** What nobody was asked about takes half of the machine's memory at most: the system would end others for more. */
function readerLines(): readonly string[] {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return [set(`ulimit -d ${Math.max(LEAST_DATA, Math.floor(memory / 2048))}`)];
}

function limitLines({ processes = PROCESSES, memoryMB }: SandboxLimits): readonly string[] {
  return [
    set("ulimit -c 0"),
    // Shells do not agree on the letter.
    set(`ulimit -u ${processes} || ulimit -p ${processes}`),
    ...(memoryMB === undefined ? [] : [`${set(`ulimit -v ${memoryMB * 1024}`)} || exit 126`]),
  ];
}

const set = (line: string): string => `{ ${line}; } 2>/dev/null`;
