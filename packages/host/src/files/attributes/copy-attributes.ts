import { residentProgram } from "../resident-program.ts";
import { CALLS, LIBRARY, UNREADABLE } from "./attributes.ts";
import { PERL_ENV } from "./run-perl.ts";

/** Copies extended attributes from a file to its replacement. Resolves to the names that could not be copied. */
export type CopyAttributes = (from: string, to: string) => Promise<readonly string[]>;

/**
 * Reads pairs of paths and writes a line for each: the names that could not be copied, in hex. Capabilities are not copied:
 * nobody granted them to the new content.
 */
const COPY = [
  "$| = 1; while (defined(my $from = <STDIN>)) { my $to = <STDIN>; chomp $from; chomp $to; my @failed;",
  "for my $name (names($from)) { next if $name eq q(security.capability); my $v = value($from, $name);",
  "my $now = value($to, $name); next if defined $v && defined $now && $v eq $now;",
  "push @failed, unpack(q(H*), $name) if !defined $v || syscall($set + 0, $to, $name, $v, length($v), 0) != 0; }",
  "print qq(@failed\\n); }",
].join(" ");

interface CopierOptions {
  /** How long its program waits for the next file. */
  readonly idleMs?: number;
  readonly program?: string;
}

/** Copies attributes with a program that stays for the next file, because Node cannot. Without Perl, the first copy says so. */
export function attributeCopier({ program = "perl", ...options }: CopierOptions = {}): CopyAttributes {
  const calls = process.platform === "linux" ? CALLS[process.arch] : undefined;
  if (!calls) return async () => [];
  const words = ["-e", `${LIBRARY} ${COPY}`, ...calls.map(String)];
  const perl = residentProgram(program, words, { env: PERL_ENV, ...options });
  let isTold = false;
  return async (from, to) => {
    const answer = await perl.ask(`${seenByOthers(from)}\0${seenByOthers(to)}\0`);
    if (answer !== undefined) return namesIn(answer);
    const lost = isTold ? [] : [UNREADABLE];
    isTold = true;
    return lost;
  };
}

const namesIn = (line: string): readonly string[] =>
  line
    .split(" ")
    .filter(Boolean)
    .map((name) => Buffer.from(name, "hex").toString("latin1"));

/** To another process, paths through descriptors of this one need its number. */
const seenByOthers = (path: string): string => path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
