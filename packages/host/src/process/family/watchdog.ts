import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends programs of this process when this process dies in any way: even by SIGKILL, after which no handler runs. It is a
 * shell in its own session that reads from a pipe. Only this process has the other end, so end of file means that this
 * process is dead.
 */
export interface Watchdog {
  /** Also ends processes with an environment variable that begins with this. Empty: none. */
  readonly mark: string;
  /** Starts the watchdog if needed. Call it before the first program starts, so that there is no gap. */
  arm(): void;
  guard(group: number): void;
  release(group: number): void;
  close(): void;
}

/**
 * Reads "+ id", "- id" and "." (regular exit). If the input ends without ".", it asks the guarded groups, their descendants
 * and all processes with the mark to end. It kills them 0.3 s later, twice because they may have forked. Descendants are
 * recognized by their start time, since ids are reused.
 */
const SCRIPT = `
trap '' TERM INT HUP QUIT
mark=$1 groups=
while read -r op id; do
  case $op in
    .) exit 0 ;;
    +) groups="$groups $id" ;;
    -) rest=; for group in $groups; do [ "$group" = "$id" ] || rest="$rest $group"; done; groups=$rest ;;
  esac
done
look() {
  read -r line < "/proc/$1/stat" || return 1
  set -- \${line##*) }
  parent=$2 started=\${20}
}
family() {
  all=
  for place in /proc/[0-9]*; do
    id=\${place#/proc/}
    look "$id" && all="$all $id:$parent:$started"
  done
  below= found=$groups
  while [ -n "$found" ]; do
    next=
    for one in $all; do
      parent=\${one#*:} parent=\${parent%:*}
      for above in $found; do
        [ "$parent" = "$above" ] && next="$next \${one%%:*}" && below="$below $one"
      done
    done
    found=$next
  done
}
hunt() {
  for group in $groups; do kill -s "$1" -- "-$group"; done
  for one in $below; do look "\${one%%:*}" && [ "\${one##*:}" = "$started" ] && kill -s "$1" "\${one%%:*}"; done
  [ -z "$mark" ] || for path in $(grep -alF -- "$mark" /proc/[0-9]*/environ); do
    id=\${path#/proc/}; kill -s "$1" "\${id%/environ}"
  done
}
[ -n "$mark$groups" ] || exit 0
{ family; hunt TERM; sleep 0.3; hunt KILL; sleep 0.2; hunt KILL; } 2>/dev/null
`;

/** A watchdog over the guarded groups with their descendants, and over all processes whose environment contains `mark`. */
export function createWatchdog(mark = ""): Watchdog {
  let shell: ChildProcess | undefined;
  const tell = (line: string): void => void shell?.stdin?.write(line);
  return {
    mark,
    arm() {
      shell ??= startShell(mark);
    },
    guard: (group) => tell(`+ ${group}\n`),
    release: (group) => tell(`- ${group}\n`),
    close() {
      shell?.stdin?.end(".\n");
      shell = undefined;
    },
  };
}

function startShell(mark: string): ChildProcess {
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "haft-watchdog", mark], {
    cwd: "/",
    detached: true,
    // Its environment must not contain a mark that this process itself carries: the watchdog must outlive those programs.
    env: { PATH: process.env.PATH || "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell, programs still end at `close`; only a killed host leaves them running.
  shell.on("error", () => {});
  shell.stdin?.on("error", () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?(): void } | null)?.unref?.();
  return shell;
}
