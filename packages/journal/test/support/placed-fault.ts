// Kills a process at a chosen system call, or lets that call fail, by strace.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

export const canTrace: boolean = spawnSync("strace", ["-V"]).status === 0;

/** System calls that change names and types of paths. */
export const CHANGING_CALLS = ["mkdir", "rename", "unlink", "rmdir", "chmod", "link", "symlink"] as const;

export interface Ended {
  /** The process died at the call, or the call failed. Else the process made fewer such calls. */
  readonly wasHit: boolean;
  readonly stderr: string;
}

/** The fault at the `when`-th such call of a thread, counted from the moment at which the process says that it is ready. */
export async function faultAt(
  fault: "kill" | "error",
  { script, args, call, when }: { script: string; args: readonly string[]; call: string; when: number },
): Promise<Ended> {
  const child = spawn(process.execPath, ["--conditions=haft-source", script, ...args], { stdio: "pipe" });
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const ended = once(child, "exit");
  const isReady = await Promise.race([once(child.stdout, "data").then(() => true), ended.then(() => false)]);
  if (!isReady) return { wasHit: false, stderr };
  const inject = `inject=${call}:${fault === "kill" ? "signal=SIGKILL" : "error=EIO"}:when=${when}`;
  const options = ["-f", "-e", `trace=${call}`, "-e", inject, "-p", `${child.pid}`];
  const tracer = spawn("strace", options, { stdio: ["ignore", "ignore", "pipe"] });
  const traced = once(tracer, "close");
  let trace = "";
  tracer.stderr.on("data", (data) => {
    trace += data;
  });
  await once(tracer.stderr, "data");
  child.stdin.on("error", () => undefined);
  child.stdin.write("go\n");
  const [, signal] = await ended;
  await traced;
  return { wasHit: signal === "SIGKILL" || trace.includes("(INJECTED)"), stderr };
}
