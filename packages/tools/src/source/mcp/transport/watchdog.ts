import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends process groups when this process is gone, however it went: even SIGKILL, after which no handler runs. It is a
 * shell in a session of its own that reads group ids from a pipe; only our end keeps the pipe open, so its end means
 * that we are dead.
 */
export interface Watchdog {
  guard(group: number): void;
  release(group: number): void;
  /** Lets the shell end. Guarded groups are ended by it. */
  close(): void;
}

/**
 * Reads "+ id" and "- id"; at the end of input asks what is left to end, and makes it a second later. Who has left the
 * group with a session of its own is found below it where there is a /proc, and known again by the moment of its start.
 */
const SCRIPT = `
trap '' TERM INT HUP QUIT
look() {
  read -r line < "/proc/$1/stat" || return 1
  set -- \${line##*) }
  parent=$2 started=\${20}
}
groups=
while read -r op id; do
  if [ "$op" = + ]; then groups="$groups $id"; continue; fi
  rest=
  for group in $groups; do [ "$group" = "$id" ] || rest="$rest $group"; done
  groups=$rest
done
[ -n "$groups" ] || exit 0
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
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
for one in $below; do
  look "\${one%%:*}" && [ "\${one##*:}" = "$started" ] && kill -s KILL "\${one%%:*}"
done
`;

/** A watchdog that starts with the first group it is given. Does nothing on Windows, which knows no process groups. */
export function createWatchdog(): Watchdog {
  let shell: ChildProcess | undefined;

  function tell(line: string): void {
    if (process.platform === "win32") return;
    shell ??= startShell();
    shell.stdin?.write(line);
  }

  return {
    guard: (group) => tell(`+ ${group}\n`),
    release(group) {
      if (shell) tell(`- ${group}\n`);
    },
    close() {
      shell?.stdin?.end();
      shell = undefined;
    },
  };
}

function startShell(): ChildProcess {
  const shell = spawn("/bin/sh", ["-c", SCRIPT], { cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // Without a shell there is no watchdog; servers then end by the end of their input.
  shell.on("error", () => {});
  shell.stdin?.on("error", () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?(): void } | null)?.unref?.();
  return shell;
}
