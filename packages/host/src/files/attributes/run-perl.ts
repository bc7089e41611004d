import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

interface Program {
  /** Reads standard input and writes standard output. */
  readonly script: string;
  /** Without line ends. */
  readonly args: readonly string[];
  readonly input: Buffer;
}

/** Finds programs of the system only. */
export const PERL_ENV = { PATH: "/usr/bin:/bin" };

const LIMIT_MS = 60_000;

/**
 * Runs a Perl program to its end and returns its output; `undefined` if it failed, or there is no Perl. The third and later
 * ones are run by a process that stays for a minute: to start one takes several milliseconds, and more in a large process.
 */
export function runPerl(program: Program): Buffer | undefined {
  const answer = runs > 1 ? current().run(program) : undefined;
  runs++;
  if (answer) return answer.output;
  if (runs > 1) current();
  const { script, args, input } = program;
  const options = { env: PERL_ENV, input, timeout: LIMIT_MS, maxBuffer: 1 << 28 };
  const ran = spawnSync("perl", ["-e", script, "--", ...args], options);
  return ran.status === 0 ? ran.stdout : undefined;
}

let runs = 0;
let resident: Resident | undefined;

/** One with the rights that this process has now. */
function current(): Resident {
  const rights = processRights();
  if (resident?.isOver || resident?.rights !== rights) {
    resident?.close();
    resident = new Resident(rights);
  }
  return resident!;
}

/** Users, groups, capabilities and the mask of new files that a process passes on to its children. Empty if unknown. */
export function processRights(): string {
  try {
    const lines = readFileSync("/proc/self/status", "latin1").split("\n");
    return lines.filter((line) => /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp):/.test(line)).join("\n");
  } catch {
    return "";
  }
}

/** The descriptors of its two pipes. */
const REQUESTS = 60;
const ANSWERS = 61;

/**
 * Reads requests: a line with the lengths of script, arguments and input, then these three, the arguments with a line end
 * between them. Answers with the length of the output, `-` for a failure, and the output. It ends with its standard input, or
 * after a minute without a request.
 */
const SERVE = String.raw`
use POSIX ();
$0 = 'haft-perl';
pipe my $requests, my $open_for_requests;
pipe my $open_for_answers, my $answers;
POSIX::dup2(fileno $answers, ${ANSWERS});
POSIX::dup2(fileno $requests, ${REQUESTS});

sub run {
  my ($script, $words, $input) = @_;
  my $output = '';
  local (*STDIN, *STDOUT, $/);
  $/ = "\n";
  local @ARGV = split /\n/, $words, -1;
  open STDIN, '<', \$input;
  open STDOUT, '>', \$output;
  return eval "no warnings; $script; 1" ? $output : undef;
}

my $got = '';
while (1) {
  alarm ${LIMIT_MS / 1000};
  my $ready = '';
  vec($ready, $_, 1) = 1 for 0, fileno $requests;
  next if select($ready, undef, undef, undef) < 0;
  last if vec $ready, 0, 1;
  sysread $requests, $got, 1 << 20, length $got;
  next unless $got =~ /^(\d+) (\d+) (\d+)\n/ && length $got >= $+[0] + $1 + $2 + $3;
  my ($from, @lengths) = ($+[0], $1, $2, $3);
  my @parts = map { $from += $_; substr $got, $from - $_, $_ } @lengths;
  $got = '';
  my $output = run(@parts);
  my $answer = defined $output ? length($output) . "\n$output" : "-\n";
  my $at = 0;
  while ($at < length $answer) { $at += syswrite $answers, $answer, 1 << 20, $at }
}
`;

/** A Perl process that runs programs one after the other, while this process waits. It keeps nobody waiting at the end. */
class Resident {
  readonly rights: string;
  readonly #child: ChildProcess;

  constructor(rights: string) {
    this.rights = rights;
    this.#child = spawn("perl", ["-e", SERVE], { cwd: "/", env: PERL_ENV, stdio: ["pipe", "ignore", "ignore"] });
    this.#child.on("error", () => undefined).unref();
    (this.#child.stdin as { unref?(): void } | null)?.unref?.();
    this.#child.stdin?.on("error", () => undefined);
  }

  get isOver(): boolean {
    const { pid, exitCode, signalCode, stdin } = this.#child;
    return pid === undefined || exitCode !== null || signalCode !== null || stdin?.writableEnded === true;
  }

  close(): void {
    this.#child.stdin?.end();
  }

  /** `undefined`: it did not run, because the process does not listen yet, or has ended. */
  run({ script, args, input }: Program): { readonly output: Buffer | undefined } | undefined {
    const parts = [Buffer.from(script), Buffer.from(args.join("\n")), input];
    const head = Buffer.from(`${parts.map(({ length }) => length).join(" ")}\n`);
    const requests = this.#open(REQUESTS, "w");
    const answers = this.#open(ANSWERS, "r");
    // Without its end, a request does not run.
    let isSent = false;
    try {
      if (requests === undefined || answers === undefined) return undefined;
      writeAll(requests, Buffer.concat([head, ...parts]));
      isSent = true;
      return { output: answerIn(answers) };
    } catch {
      this.close();
      return isSent ? { output: undefined } : undefined;
    } finally {
      for (const descriptor of [requests, answers]) if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  #open(descriptor: number, flags: string): number | undefined {
    try {
      return openSync(`/proc/${this.#child.pid}/fd/${descriptor}`, flags);
    } catch {
      return undefined;
    }
  }
}

function writeAll(to: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(to, bytes, at);
}

function answerIn(from: number): Buffer | undefined {
  const chunk = Buffer.alloc(1 << 16);
  const read = (): Buffer => Buffer.from(chunk.subarray(0, readSync(from, chunk)));
  // The line arrives as a whole: a pipe does not part what is so short.
  const first = read();
  const end = first.indexOf("\n");
  const size = Number(first.subarray(0, end).toString());
  if (end < 0 || Number.isNaN(size)) return undefined;
  const chunks = [first.subarray(end + 1)];
  for (let missing = size - chunks[0]!.length; missing > 0; missing -= chunks.at(-1)!.length) {
    chunks.push(read());
    if (chunks.at(-1)!.length === 0) return undefined;
  }
  return Buffer.concat(chunks);
}
