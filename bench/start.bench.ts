/**
 * The cost of starting the command line against `node -e 0`, interleaved, from the second start on: the first writes bytecode.
 * The cost of importing the library against the AI SDK, and the memory of an idle MCP server.
 */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, minimum, p50 } from "./measure.ts";

const haft = join(import.meta.dirname, "../packages/haft/bin/haft.mjs");
const ROUNDS = 25;

export async function startFigures(): Promise<Figure[]> {
  const [bare, version, call, explain, hook, library, sdk]: number[][] = [[], [], [], [], [], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    bare!.push(run(["-e", "0"]));
    version!.push(run([haft, "--version"]));
    call!.push(run([haft, "call", "Read", '{"file_path":"package.json"}']));
    explain!.push(run([haft, "explain", "Bash", '{"command":"git status"}']));
    hook!.push(run([haft, "hook", "claude"], ASKED));
    library!.push(importing("haft"));
    sdk!.push(importing("ai"));
  }
  return [
    { name: "haft --version against node -e 0", value: minimum(version!) / minimum(bare!), unit: "×", limit: 1.6 },
    { name: "haft call Read against node -e 0", value: minimum(call!) / minimum(bare!), unit: "×", limit: 3 },
    { name: "haft explain Bash against node -e 0", value: minimum(explain!) / minimum(bare!), unit: "×", limit: 3.5 },
    { name: "haft hook claude against node -e 0", value: minimum(hook!) / minimum(bare!), unit: "×", limit: 3.5 },
    { name: "import of haft against import of ai", value: p50(library!) / p50(sdk!), unit: "×", limit: 1.5 },
    { name: "haft mcp, idle for 10 s, resident memory", value: await idleMcp(), unit: "MB", limit: 80 },
  ];
}

/** The words of an agent that is about to make a call. */
const ASKED = JSON.stringify({ tool_name: "Bash", tool_input: { command: "git status" }, cwd: import.meta.dirname });

/** Milliseconds that the import takes in a process of its own. Without the condition of the sources: what was built. */
function importing(name: string): number {
  const code = `const from = performance.now(); await import("${name}"); console.log(performance.now() - from)`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: join(import.meta.dirname, "../packages/haft"),
    encoding: "utf8",
  });
  if (stderr) throw new Error(`import of ${name}: ${stderr}`);
  return Number(stdout);
}

function run(args: readonly string[], input?: string): number {
  const from = performance.now();
  const stdin = input === undefined ? "ignore" : "pipe";
  const { status, stderr } = spawnSync(process.execPath, args, { input, stdio: [stdin, "ignore", "pipe"] });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - from;
}

/** Linux only: the figure comes from /proc. */
async function idleMcp(): Promise<number> {
  const server = spawn(process.execPath, [haft, "mcp"], { stdio: ["pipe", "pipe", "ignore"] });
  try {
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`);
    await new Promise<void>((resolve, reject) => {
      server.stdout.once("data", () => resolve());
      server.once("exit", () => reject(new Error("haft mcp ended before it answered")));
    });
    // The engine gives memory back some seconds after the last work.
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1];
    return Number(kilobytes) / 1024;
  } finally {
    server.kill();
  }
}
