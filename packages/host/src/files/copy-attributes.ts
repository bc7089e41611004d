import { spawn } from "node:child_process";
import { CALLS, LIBRARY, PERL_ENV } from "./attributes.ts";

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

/** How long a helper waits for the next file. */
const IDLE_MS = 10_000;

/**
 * Copies attributes with a program that stays for the next file, because Node cannot and a start takes milliseconds. The program
 * keeps nobody waiting at the end: it ends with its input.
 */
export function attributeCopier(idleMs = IDLE_MS): CopyAttributes {
  const calls = process.platform === "linux" ? CALLS[process.arch] : undefined;
  let helper: Helper | undefined;
  return async (from, to) => {
    if (!calls) return [];
    // A helper that somebody ended is replaced once.
    for (let attempt = 0; attempt < 2; attempt++) {
      helper ??= startHelper(calls, idleMs, (ended) => {
        if (helper === ended) helper = undefined;
      });
      const failed = await helper.copy(from, to);
      if (failed !== undefined) return failed;
    }
    return [];
  };
}

interface Helper {
  /** `undefined` if the helper ended before its answer. */
  copy(from: string, to: string): Promise<readonly string[] | undefined>;
}

function startHelper(calls: readonly number[], idleMs: number, onEnd: (helper: Helper) => void): Helper {
  const child = spawn("perl", ["-e", `${LIBRARY} ${COPY}`, ...calls.map(String)], {
    ...{ cwd: "/", env: PERL_ENV, stdio: ["pipe", "pipe", "ignore"] as const },
  });
  const { stdin, stdout } = child;
  const waiting: ((failed: readonly string[] | undefined) => void)[] = [];
  const idle = setTimeout(() => end(), idleMs).unref();
  let output = "";

  /** While nobody waits, the helper does not keep this process alive. */
  function settle(): void {
    for (const one of [child, stdin, stdout] as readonly { ref?(): void; unref?(): void }[])
      if (waiting.length > 0) one.ref?.();
      else one.unref?.();
  }

  function end(): void {
    clearTimeout(idle);
    onEnd(helper);
    stdin.end();
    for (const answer of waiting.splice(0)) answer(undefined);
    settle();
  }

  const helper: Helper = {
    copy: (from, to) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        settle();
        idle.refresh();
        stdin.write(`${seenByOthers(from)}\0${seenByOthers(to)}\0`);
      }),
  };
  stdout.setEncoding("latin1").on("data", (text: string) => {
    const lines = (output + text).split("\n");
    output = lines.pop() ?? "";
    for (const line of lines) waiting.shift()?.(namesIn(line));
    settle();
  });
  for (const part of [child, stdin, stdout]) part.on("error", end);
  child.on("close", end);
  settle();
  return helper;
}

const namesIn = (line: string): readonly string[] =>
  line
    .split(" ")
    .filter(Boolean)
    .map((name) => Buffer.from(name, "hex").toString("latin1"));

/** To another process, paths through descriptors of this one need its number. */
const seenByOthers = (path: string): string => path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
