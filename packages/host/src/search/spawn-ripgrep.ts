import { type ChildProcessByStdio, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import type { Readable } from "node:stream";
import { fail } from "@haft/core/tool";
import { isEndlessAt, isEndlessBelow } from "./rule-files.ts";

/** Characters of a diagnostic to keep. */
const MAX_DIAGNOSTIC = 4000;

/** Milliseconds of silence before checking whether ripgrep is blocked on a file that never ends. */
const SILENT_MS = 700;

/** Limit on address space, in KiB: an endless ignore file (a link to `/dev/zero`) would fill all memory. */
const MEMORY_KIB = 2 * 1024 * 1024;

/**
 * How a search ended. `partly`: some files or folders are unreadable, or failed. `stuck`: an ignore file never ends; the
 * output is incomplete, and another engine must search.
 */
export type Ending = "whole" | "partly" | "stuck";

/** The descriptor on which ripgrep gets an open file. */
export const PASSED = 3;

/** The working directory of ripgrep, and a descriptor to pass to it. */
interface Start {
  readonly cwd: string;
  readonly descriptor?: number | undefined;
}

/**
 * Runs ripgrep and passes on its output piece by piece. Ends early and silently if `onData` returns `false`.
 * Ignores the user's configuration. Fails with `invalid_input` and ripgrep's message if it refuses its input.
 */
export function spawnRipgrep(
  program: string,
  args: readonly string[],
  { cwd, descriptor }: Start,
  onData: (chunk: Buffer) => boolean,
  signal?: AbortSignal,
): Promise<Ending> {
  signal?.throwIfAborted();
  if (args.some((argument) => argument.includes("\0")))
    fail("invalid_input", "A search pattern cannot hold a NUL character.", "Remove it.");
  if (isEndlessAt(realpathSync.native(cwd))) return Promise.resolve("stuck");
  const { RIPGREP_CONFIG_PATH: _, ...env } = process.env;
  const passed = descriptor === undefined ? [] : [descriptor];
  return new Promise((resolve, reject) => {
    const child = spawn(...limited(program, ["--no-config", ...args]), {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe", ...passed],
    }) as ChildProcessByStdio<null, Readable, Readable>;
    let diagnostic = "";
    let isEnough = false;
    let isStuck = false;
    const over = new AbortController();
    const stop = () => child.kill("SIGKILL");
    signal?.addEventListener("abort", stop, { once: true });
    const watch = setTimeout(async () => {
      isStuck = await isEndlessBelow(cwd, over.signal);
      if (isStuck) stop();
    }, SILENT_MS);
    child.stdout.on("data", (chunk: Buffer) => {
      watch.refresh();
      if (isEnough || onData(chunk)) return;
      isEnough = true;
      stop();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (diagnostic.length < MAX_DIAGNOSTIC) diagnostic += chunk.toString("utf8");
    });
    child.once("error", (error) => {
      clearTimeout(watch);
      reject(error);
    });
    child.once("close", (code, killedBy) => {
      clearTimeout(watch);
      over.abort();
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted) return reject(signal.reason);
      // Messages about single files are off, so other output on stderr is a refusal of the whole search.
      if (isEnough || code === 0 || code === 1) return resolve("whole");
      if (isStuck || OUT_OF_MEMORY.test(diagnostic)) return resolve("stuck");
      if (code === 2 && diagnostic === "") return resolve("partly");
      reject(refusal(diagnostic.trim() || `It ended with ${killedBy ?? `exit code ${code}`}.`));
    });
  });
}

/** The message of a Rust program that runs out of memory. */
const OUT_OF_MEMORY = /^memory allocation of \d+ bytes failed/m;

/** Limits the memory of a program, if the system supports it. */
const limited = (program: string, args: readonly string[]): [string, string[]] =>
  process.platform === "linux"
    ? ["/bin/sh", ["-c", `ulimit -v ${MEMORY_KIB} 2>/dev/null; exec "$@"`, "sh", program, ...args]]
    : [program, [...args]];

function refusal(diagnostic: string): unknown {
  try {
    return fail("invalid_input", `ripgrep cannot run this search:\n${diagnostic}`, cureFor(diagnostic));
  } catch (error) {
    return error;
  }
}

function cureFor(diagnostic: string): string {
  if (diagnostic.includes("literal") && diagnostic.includes("\\n"))
    return "Set multiline to true to match across lines.";
  if (diagnostic.includes("look-around") || diagnostic.includes("backreferences"))
    return "ripgrep has no look-around and no backreferences: search for something simpler, then look at the hits.";
  if (diagnostic.includes("parsing glob")) return "Correct the glob; a literal bracket is [[] or []].";
  if (diagnostic.includes("file type")) return "Use glob instead, e.g. *.ts; types are names such as js, py, rust.";
  return "Correct the pattern; to match special characters literally, put a backslash before each.";
}
