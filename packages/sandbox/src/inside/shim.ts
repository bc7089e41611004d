import { totalmem } from "node:os";
import type { SandboxLimits } from "@haft/core/policy";
import { RELAY_NAME } from "../network/relay.ts";
import { quote } from "./shell-word.ts";

/**
 * The first program inside, and the first process of its namespace. It sets limits and starts the command. It reports on
 * descriptor 3 if a signal ended the command, in the shell's own words: bubblewrap itself only knows exit codes, and a program
 * that exits with 137 causes no such words. Signals meant for the command must not end the shim first, and the command does
 * not ignore them. When the shim ends, the kernel ends everything else inside, and only then bubblewrap ends.
 */
const SHIM = 'trap : TERM INT HUP; exec 5>&2 2>&3; (exec "$@" 2>&5 5>&-)';

/** Records the processes before the command: the first process of the namespace, and the network relay. */
const NOTE_OWN = 'haft_own=; for haft_at in /proc/[0-9]*; do haft_own="$haft_own $haft_at "; done';

/**
 * Reports, before the first process ends, the names of processes that end with it. Zombies have no arguments. The relay starts
 * a process for each connection, known by its name.
 */
const TELL_LEFT = [
  "haft_code=$?; haft_count=0; { for haft_at in /proc/[0-9]*; do",
  'case "$haft_own" in *" $haft_at "*) continue;; esac; [ $haft_count -lt 50 ] || continue; haft_line=;',
  'read -r haft_line <"$haft_at/cmdline"; [ -n "$haft_line" ] && read -r haft_name <"$haft_at/comm" || continue;',
  `[ "$haft_name" = ${quote(RELAY_NAME)} ] && continue;`,
  `haft_count=$((haft_count + 1)); printf '\\n\\001%s' "$haft_name" >&3;`,
  "done; } 2>/dev/null; exit $haft_code",
].join(" ");

/** The exit code if the relay did not start. */
export const RELAY_FAILED = 125;

/** Default limit on processes of one command. */
const PROCESSES = 4096;

interface Inside {
  readonly argv: readonly string[];
  /** `reader`: limits for a program that only reads: no fork bombs and no core files, but it may keep what it reads. */
  readonly limits?: SandboxLimits | "reader";
  /** The network relay: a program that must succeed before the command starts. */
  readonly relay?: readonly string[];
  /** It is the first process of its namespace, and reports the processes that it leaves running, see `leftIn`. */
  readonly tellsLeft?: boolean;
  /** Lines to run first, see `mountCheck`. */
  readonly checks?: readonly string[];
}

/** The command line that starts a program inside with its limits. Limits that the system does not know are left out. */
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

/** Minimum data limit of a reader, in KiB: a machine with little memory has swap, and some programs reserve much at once. */
const LEAST_DATA = 1024 * 1024;

let memory: number | undefined;

/** Commands that run without a question get at most half of the memory: for more, the system would kill other programs. */
function readerLines(): readonly string[] {
  // Node reads files of the system for it, and this is asked several times a command.
  memory ??= Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
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
