import { CALLS, LIBRARY, PERL_ENV } from "./attributes.ts";
import { residentProgram } from "./resident-program.ts";

/** Copies extended attributes from a file to its replacement. Resolves to the names that could not be copied. */
export type CopyAttributes = (from: string, to: string) => Promise<readonly string[]>;

/**
 * Reads pairs of paths and writes a line for each: the names that could not be copied, in hex. Capabilities are not copied:
 * nobody granted them to the new content.
 */
const COPY = [
  "$| = 1; while (defined(my $from = <STDIN>)) { my $to = <STDIN>; chomp $from; chomp $to; my @failed;",
  "for my $name (names($from)) { next if $name eq q(security.capability); my $v = value($from, $name);",
  "push @failed, unpack(q(H*), $name) if !defined $v || syscall($set + 0, $to, $name, $v, length($v), 0) != 0; }",
  "print qq(@failed\\n); }",
].join(" ");

/** Copies attributes with a program that stays for the next file, because Node cannot. `idleMs`: how long it waits for that. */
export function attributeCopier(idleMs?: number): CopyAttributes {
  const calls = process.platform === "linux" ? CALLS[process.arch] : undefined;
  if (!calls) return async () => [];
  const words = ["-e", `${LIBRARY} ${COPY}`, ...calls.map(String)];
  const perl = residentProgram("perl", words, { env: PERL_ENV, ...(idleMs === undefined ? {} : { idleMs }) });
  return async (from, to) => namesIn((await perl.ask(`${seenByOthers(from)}\0${seenByOthers(to)}\0`)) ?? "");
}

const namesIn = (line: string): readonly string[] =>
  line
    .split(" ")
    .filter(Boolean)
    .map((name) => Buffer.from(name, "hex").toString("latin1"));

/** To another process, paths through descriptors of this one need its number. */
const seenByOthers = (path: string): string => path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
