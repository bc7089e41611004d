// Kills a process at a chosen system call, by strace.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

export const canTrace: boolean = spawnSync("strace", ["-V"]).status === 0;

/** System calls that change names and types of paths. */
export const CHANGING_CALLS = ["mkdir", "rename", "unlink", "rmdir", "chmod", "link", "symlink"] as const;

export interface Ended {
  /** It died at the call; else it came to its end. */
  readonly wasKilled: boolean;
  readonly stderr: string;
}

/** The `when`-th such call of a process, counted from the moment at which it says that it is ready. */
export async function killedAt(script: string, args: readonly string[], call: string, when: number): Promise<Ended> {
  const child = spawn(process.execPath, ["--conditions=haft-source", script, ...args], { stdio: "pipe" });
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const ended = once(child, "exit");
  const isReady = await Promise.race([once(child.stdout, "data").then(() => true), ended.then(() => false)]);
  if (!isReady) return { wasKilled: false, stderr };
  const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
  const trace = ["-f", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject, "-p", `${child.pid}`];
  const tracer = spawn("strace", trace, { stdio: ["ignore", "ignore", "pipe"] });
  await once(tracer.stderr, "data");
  child.stdin.on("error", () => undefined);
  child.stdin.write("go\n");
  const [, signal] = await ended;
  if (tracer.exitCode === null && tracer.signalCode === null) await once(tracer, "exit");
  return { wasKilled: signal === "SIGKILL", stderr };
}
