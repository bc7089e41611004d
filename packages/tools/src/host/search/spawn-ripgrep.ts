import { spawn } from "node:child_process";
import { fail } from "@haft/core/tool";

/** Most characters of a diagnostic that are kept. */
const MAX_DIAGNOSTIC = 4000;

/**
 * Runs ripgrep and hands its output over piece by piece. Ends early, without a trace, when `onData` answers `false`.
 * No user configuration takes part. Fails with `invalid_input` and ripgrep's own words when it refuses its input.
 * Resolves to whether everything could be read: some files or folders may be closed, or fail.
 */
export function spawnRipgrep(
  program: string,
  args: readonly string[],
  cwd: string,
  onData: (chunk: Buffer) => boolean,
  signal?: AbortSignal,
): Promise<boolean> {
  signal?.throwIfAborted();
  if (args.some((argument) => argument.includes("\0")))
    fail("invalid_input", "A search pattern cannot hold a NUL character.", "Remove it.");
  const { RIPGREP_CONFIG_PATH: _, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(program, ["--no-config", ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let diagnostic = "";
    let isEnough = false;
    const stop = () => child.kill("SIGKILL");
    signal?.addEventListener("abort", stop, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      if (isEnough || onData(chunk)) return;
      isEnough = true;
      stop();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (diagnostic.length < MAX_DIAGNOSTIC) diagnostic += chunk.toString("utf8");
    });
    child.once("error", reject);
    child.once("close", (code, killedBy) => {
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted) return reject(signal.reason);
      // With messages about single files switched off, what is left on stderr is a refusal of the whole search.
      if (isEnough || code === 0 || code === 1) return resolve(true);
      if (code === 2 && diagnostic === "") return resolve(false);
      reject(refusal(diagnostic.trim() || `It ended with ${killedBy ?? `exit code ${code}`}.`));
    });
  });
}

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
  if (diagnostic.includes("parsing glob")) return "Correct the glob; a bracket that stands for itself is [[] or []].";
  if (diagnostic.includes("file type")) return "Use glob instead, e.g. *.ts; types are names such as js, py, rust.";
  return "Correct the pattern; to search for special characters as they are, write a backslash before each.";
}
