import { spawnSync } from "node:child_process";
import { toSystem } from "../image/raw-path.ts";

/** The number of the system call lremovexattr, by architecture: Node has no call for it. */
const REMOVE: Readonly<Record<string, number>> = { x64: 198, arm64: 15 };

/** What an overlay notes on files that it has copied up. With `userxattr` it makes no other notes on files. */
const MARK = "user.overlay.origin";

/** Reads names that end in NUL; writes the number of each whose marks could not be taken off. No mark (61) is fine. */
const SCRIPT = [
  "$/ = qq(\\0); my $n = 0;",
  "while (my $path = <STDIN>) { chomp $path;",
  "print qq($n\\n) if syscall($ARGV[0] + 0, $path, $ARGV[1]) != 0 && $! != 61; $n++; }",
].join(" ");

/**
 * Takes an overlay's marks off files of an upper layer, so that they can be moved into the workspace instead of copied.
 * Those that are bare now; none where the machine has no way to do it.
 */
export function takeMarksOff(paths: readonly string[]): ReadonlySet<string> {
  const call = REMOVE[process.arch];
  if (call === undefined || process.platform !== "linux" || paths.length === 0) return new Set();
  const input = Buffer.concat(paths.flatMap((path) => [Buffer.from(toSystem(path)), Buffer.from("\0")]));
  const ran = spawnSync("perl", ["-e", SCRIPT, `${call}`, MARK], {
    env: { PATH: "/usr/bin:/bin" },
    input,
    timeout: 30_000,
    maxBuffer: 1 << 26,
  });
  if (ran.status !== 0 || ran.error) return new Set();
  const failed = new Set(ran.stdout.toString("latin1").split("\n").map(Number));
  // An empty last line would count as 0.
  const isClean = ran.stdout.length === 0;
  return new Set(isClean ? paths : paths.filter((_, index) => !failed.has(index)));
}
