import { spawn } from "node:child_process";

/** The end of a program that was started for its output. */
export type ProgramEnd =
  | { readonly how: "exited"; readonly code: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly how: "failed"; readonly why: string };

export interface ProgramOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Its standard input. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Starts a program without a shell and reads what it prints. Its process group is killed at the timeout, at the limit of
 * output, and with the signal. Never rejects.
 */
export function runProgram(
  [program = "", ...args]: readonly string[],
  { cwd, env, input = "", timeoutMs, mostBytes, signal }: ProgramOptions,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ how: "failed", why: "it was cancelled" });
    const child = spawn(program, args, { cwd, detached: true, stdio: "pipe", ...(env ? { env: env as never } : {}) });
    const chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
    let bytes = 0;
    let why: string | undefined;
    function end(reason: string): void {
      why ??= reason;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
    const timer = setTimeout(() => end(`it did not end within ${timeoutMs / 1000} seconds`), timeoutMs);
    const cancel = () => end("it was cancelled");
    signal.addEventListener("abort", cancel, { once: true });
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) end(`it printed more than ${mostBytes} bytes`);
        else chunks[name].push(chunk);
      });
    function done(outcome: ProgramEnd): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      resolve(outcome);
    }
    child.on("error", ({ message }) => done({ how: "failed", why: `it cannot be started (${message})` }));
    child.on("exit", () => {
      // Its children may hold the pipes open.
      if (why !== undefined) for (const name of ["stdout", "stderr"] as const) child[name].destroy();
    });
    child.on("close", (code) => {
      const text = (name: "stdout" | "stderr") => Buffer.concat(chunks[name]).toString("utf8");
      done(
        why === undefined
          ? { how: "exited", code, stdout: text("stdout"), stderr: text("stderr") }
          : { how: "failed", why },
      );
    });
    // A program that does not read its input closes the pipe.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
