import { spawnSync } from "node:child_process";
import { constants, lstatSync } from "node:fs";
import { toSystem } from "../image/raw-path.ts";

/** System call numbers by architecture: lremovexattr and renameat2, for which Node has no call, and openat and close. */
const CALLS: Readonly<Record<string, readonly [remove: number, rename: number, open: number, close: number]>> = {
  x64: [198, 316, 257, 3],
  arm64: [15, 276, 56, 57],
};

/** Opens the place of a folder, also of one without read permission, but not of a link. */
const FOLDER = constants.O_DIRECTORY | constants.O_NOFOLLOW | 0x20_00_00;

/** The attribute of an overlay on files that it has copied up. With `userxattr`, it sets no other attributes on files. */
const MARK = "user.overlay.origin";

/**
 * Reads pairs of NUL-terminated names; the second may be empty. Writes the number of each failed pair. A missing mark
 * (error 61) is fine. The folder of the second name is opened and must still be at its path, because another program
 * may replace it by a link at any moment. It stops with the process that started it: after that, another process may
 * work on these files.
 */
const SCRIPT = [
  "my ($remove, $rename, $open, $close, $mark, $parent, $flags) = @ARGV; $/ = qq(\\0); my ($n, $last, $at) = (0, q(), -1);",
  "while (defined(my $from = <STDIN>)) { my $to = <STDIN>; chomp $from; chomp $to;",
  "exit 1 if getppid() != $parent;",
  "my ($folder, $name) = $to =~ m{^(.*)/([^/]*)$}s;",
  "if ($to ne q() && $folder ne $last) { syscall($close + 0, $at) if $at >= 0;",
  "$last = $folder; $at = syscall($open + 0, -100, $folder, $flags + 0); }",
  "my $bare = syscall($remove + 0, $from, $mark) == 0 || $! == 61;",
  "my $there = $at >= 0 && (readlink(qq(/proc/self/fd/$at)) // q()) eq $last;",
  "my $done = $bare && ($to eq q() || $there && syscall($rename + 0, -100, $from, $at, $name, 2) == 0);",
  "print qq($n\\n) if !$done; $n++; }",
].join(" ");

interface Pair {
  readonly from: string;
  /** The path of the file to exchange it with. */
  readonly to?: string;
}

/** Numbers of the completed pairs; `undefined` if they are unknown. */
function runOn(pairs: readonly Pair[]): ReadonlySet<number> | undefined {
  const calls = CALLS[process.arch];
  if (calls === undefined || process.platform !== "linux" || pairs.length === 0) return new Set();
  const named = (path: string) => [Buffer.from(toSystem(path)), Buffer.from("\0")];
  const input = Buffer.concat(pairs.flatMap(({ from, to = "" }) => [...named(from), ...named(to)]));
  const args = ["-e", SCRIPT, ...calls.map(String), MARK, `${process.pid}`, `${FOLDER}`];
  const options = { env: { PATH: "/usr/bin:/bin" }, input, timeout: 30_000, maxBuffer: 1 << 26 };
  const ran = spawnSync("perl", args, options);
  if ((ran.error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return new Set();
  if (ran.status !== 0 || ran.error) return undefined;
  const lines = ran.stdout.toString("latin1").split("\n");
  const failed = new Set(lines.filter((line) => line !== "").map(Number));
  return new Set([...pairs.keys()].filter((index) => !failed.has(index)));
}

/**
 * Removes an overlay's marks from files of an upper layer, so that they can be moved into the workspace instead of
 * copied. Returns the paths that have no mark now; none if the machine has no way to remove marks.
 */
export function takeMarksOff(paths: readonly string[]): ReadonlySet<string> {
  const done = runOn(paths.map((from) => ({ from }))) ?? new Set();
  return new Set(paths.filter((_, index) => done.has(index)));
}

/**
 * Exchanges each file with the one at its place, each in one step. Unlike a rename over a file, this makes no file
 * system wait for the disk, and the old file can still be checked. Returns the places of the exchanged files. `back`
 * reverses it.
 */
export function exchange(pairs: readonly Required<Pair>[], { back = false } = {}): ReadonlySet<string> {
  // A second hard link would stay in the layer as another name of the moved file.
  const single = pairs.flatMap((pair) => {
    const found = lstatSync(toSystem(pair.from), { throwIfNoEntry: false });
    return found && (back || found.nlink === 1) ? [{ ...pair, inode: found.ino }] : [];
  });
  const done = runOn(single);
  const isThere = ({ to, inode }: (typeof single)[number], index: number): boolean =>
    done ? done.has(index) : lstatSync(toSystem(to), { throwIfNoEntry: false })?.ino === inode;
  return new Set(single.filter(isThere).map(({ to }) => to));
}
