import { spawn } from "node:child_process";
import { UsageError } from "../../exit-code.ts";
import { HOOK_AGENTS } from "./agents.ts";

/** Milliseconds in which the hook has to answer. */
const MOST_MS = 20_000;

/**
 * Runs the command that the agent will run, with one call that a rule denies. A broken guard is found now, not when it is
 * needed.
 *
 * @throws UsageError unless the hook refuses the call in the agent's own format.
 */
export async function assertRefuses(agent: string, command: string): Promise<void> {
  const { sample, answer } = HOOK_AGENTS[agent]!;
  const payload = sample("true", process.cwd());
  const { code, stdout, stderr } = await runShell(`${command} --deny Bash`, JSON.stringify(payload));
  const wanted = answer({ decision: "deny", reason: "" }, payload);
  if (code === 0 && saysTheSame(parsed(stdout), wanted)) return;
  const said = (stderr || stdout).trim().split("\n")[0] ?? "";
  throw new UsageError(
    `A test failed, so nothing was written: the hook did not refuse a call that a rule denies: ${said || `it ended with code ${code}`}`,
    `Run it by hand: echo '${JSON.stringify(payload)}' | ${command} --deny Bash`,
  );
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runShell(command: string, input: string): Promise<Ended> {
  const child = spawn(command, { shell: true, stdio: "pipe", timeout: MOST_MS });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: null, stdout, stderr: error.message }));
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether two answers are equal except for their reasons, which are empty in `wanted`. */
function saysTheSame(said: unknown, wanted: unknown): boolean {
  if (wanted === "") return typeof said === "string";
  if (typeof wanted !== "object" || wanted === null) return said === wanted;
  if (typeof said !== "object" || said === null) return false;
  return Object.entries(wanted).every(([key, value]) => saysTheSame((said as Record<string, unknown>)[key], value));
}
