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

/** Reads "+ id" and "- id"; at the end of input asks what is left to end, and makes it a second later. */
const SCRIPT = `
trap '' TERM INT HUP QUIT
groups=
while read -r op id; do
  if [ "$op" = + ]; then groups="$groups $id"; continue; fi
  rest=
  for group in $groups; do [ "$group" = "$id" ] || rest="$rest $group"; done
  groups=$rest
done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
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
