import { constants } from "node:fs";
import { runPerl } from "./run-perl.ts";

/**
 * Extended attributes of a file by name, with hex values: POSIX ACLs, capabilities, and attributes of programs and
 * users, and labels of SELinux. The marks of overlays are left out.
 */
export type Attributes = Readonly<Record<string, string>>;

/** System call numbers by architecture: llistxattr, lgetxattr, lsetxattr, lremovexattr. Node has no calls for them. */
export const CALLS: Readonly<Record<string, readonly number[]>> = { x64: [195, 192, 189, 198], arm64: [12, 9, 6, 15] };

/** `names` and `value` of a path in Perl. */
export const LIBRARY = [
  "my ($list, $get, $set, $remove) = splice(@ARGV, 0, 4); $/ = qq(\\0); my $room = qq(\\0) x 65536;",
  "sub names { my $n = syscall($list + 0, $_[0], $room, 65536); return () if $n <= 0;",
  "grep { /^(?:(?:user|trusted)\\.(?!overlay\\.)|system\\.posix_acl_|security\\.(?:capability|selinux)$)/ } split(/\\0/, substr($room, 0, $n)); }",
  "sub value { my $v = qq(\\0) x 65536; my $n = syscall($get + 0, $_[0], $_[1], $v, 65536);",
  "return $n < 0 ? undef : substr($v, 0, $n); }",
].join(" ");

/** Reads paths. Writes a line for each attribute: the number of the path, and name and value in hex. */
const READ = [
  "my $i = 0; while (defined(my $path = <STDIN>)) { chomp $path;",
  "for my $name (sort(names($path))) { my $v = value($path, $name); next if !defined $v;",
  "print $i, q( ), unpack(q(H*), $name), q( ), unpack(q(H*), $v), qq(\\n); } $i++; }",
].join(" ");

/**
 * Reads pairs: a path, and names with values in hex. Gives the path exactly these attributes. Writes the number of the
 * path and a name for each that failed. The folder is opened and must still be at its path, as in `exchange`.
 */
const WRITE = [
  "my ($open, $close, $flags) = @ARGV; my ($i, $last, $at) = (0, q(), -1);",
  "while (defined(my $path = <STDIN>)) { my $wish = <STDIN>; chomp $path; chomp $wish;",
  "my ($folder, $name) = $path =~ m{^(.*)/([^/]*)$}s;",
  "if ($folder ne $last) { syscall($close + 0, $at) if $at >= 0;",
  "$last = $folder; $at = syscall($open + 0, -100, $folder, $flags + 0); }",
  "my $there = $at >= 0 && (readlink(qq(/proc/self/fd/$at)) // q()) eq $last; my $place = qq(/proc/self/fd/$at/$name);",
  "my %wanted = map { pack(q(H*), $_) } split(/ /, $wish);",
  // A label can only be replaced.
  "for my $have ($there ? names($place) : ()) { next if exists $wanted{$have} || $have eq q(security.selinux);",
  "print qq($i $have\\n) if syscall($remove + 0, $place, $have) != 0; }",
  "for my $name (sort(keys %wanted)) { my $v = $wanted{$name}; my $now = $there ? value($place, $name) : undef;",
  "next if defined $now && $now eq $v;",
  "print qq($i $name\\n) if !$there || syscall($set + 0, $place, $name, $v, length($v), 0) != 0; } $i++; }",
  "syscall($close + 0, $at) if $at >= 0;",
].join(" ");

/** System calls openat and close, and the flags that open the place of a folder, but not of a link. */
const OPEN: Readonly<Record<string, readonly number[]>> = { x64: [257, 3], arm64: [56, 57] };
const FOLDER = constants.O_DIRECTORY | constants.O_NOFOLLOW | 0x20_00_00;

/** The text for attributes that nobody can read. */
export const UNREADABLE = "ACLs and extended attributes, because this machine has no Perl";

function run(script: string, args: readonly number[], input: Buffer): string | undefined {
  const calls = process.platform === "linux" ? CALLS[process.arch] : undefined;
  if (!calls) return undefined;
  const program = { script: `${LIBRARY} ${script}`, args: [...calls, ...args].map(String), input };
  return runPerl(program)?.toString("latin1");
}

const named = (path: string | Buffer): Buffer => Buffer.concat([Buffer.from(path), Buffer.from("\0")]);

/** The attributes of those paths that have any, by their index. `undefined` if this machine cannot tell (no Perl). */
export function readAttributes(paths: readonly (string | Buffer)[]): ReadonlyMap<number, Attributes> | undefined {
  if (paths.length === 0) return new Map();
  const output = run(READ, [], Buffer.concat(paths.map(named)));
  if (output === undefined) return undefined;
  const found = new Map<number, Record<string, string>>();
  for (const line of output.split("\n").filter(Boolean)) {
    const [index = "", name = "", value = ""] = line.split(" ");
    const own = found.get(Number(index)) ?? {};
    found.set(Number(index), { ...own, [Buffer.from(name, "hex").toString("latin1")]: value });
  }
  return found;
}

interface Wanted {
  readonly path: string | Buffer;
  readonly attributes: Attributes;
}

/** Gives paths exactly these attributes. Returns the names that differ afterwards, by index: none if they are unknown. */
export function writeAttributes(wanted: readonly Wanted[]): ReadonlyMap<number, readonly string[]> {
  if (wanted.length === 0) return new Map();
  const wish = (all: Attributes) =>
    Object.entries(all).flatMap(([name, value]) => [Buffer.from(name, "latin1").toString("hex"), value]);
  const input = wanted.flatMap(({ path, attributes }) => [named(path), named(wish(attributes).join(" "))]);
  const output = run(WRITE, [...(OPEN[process.arch] ?? []), FOLDER], Buffer.concat(input));
  if (output === undefined) return differing(wanted);
  const lines = output.split("\n").filter(Boolean);
  const failed = lines.map((line): [number, string] => [Number.parseInt(line, 10), line.replace(/^\d+ /, "")]);
  return new Map(
    [...Map.groupBy(failed, ([index]) => index)].map(([index, all]) => [index, all.map(([, name]) => name)]),
  );
}

/** The program was ended in the middle, or could not run: the files tell how far it came. */
function differing(wanted: readonly Wanted[]): ReadonlyMap<number, readonly string[]> {
  const found = readAttributes(wanted.map(({ path }) => path));
  if (found === undefined) return new Map(wanted.map((_, index) => [index, []]));
  return new Map(
    wanted.flatMap(({ attributes }, index) => {
      const now = found.get(index) ?? {};
      const surplus = Object.keys(now).filter((name) => !(name in attributes) && name !== "security.selinux");
      const names = [...Object.keys(attributes).filter((name) => now[name] !== attributes[name]), ...surplus];
      return names.length === 0 ? [] : [[index, names] as const];
    }),
  );
}
