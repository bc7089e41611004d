/** Time and memory until a program or library is ready: a process is started and does the least it can. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Effort, Part, Row } from "../measure.ts";
import { interleave, rowOf } from "../measure.ts";
import { growTree, scratch } from "../places.ts";

const peers = join(import.meta.dirname, "..");
const bin = join(peers, "../../packages/haft/bin/haft.mjs");
const opencode = join(peers, "node_modules/opencode-linux-x64/bin/opencode");
const pi = join(peers, "node_modules/@mariozechner/pi-coding-agent/dist/cli.js");
const node = process.execPath;

const LIBRARIES: Readonly<Record<string, string>> = {
  haft: join(peers, "../../packages/haft/dist/index.mjs"),
  "AI SDK": "ai",
  "OpenAI Agents": "@openai/agents",
  "MCP SDK": "@modelcontextprotocol/sdk/server/mcp.js",
  "sandbox-runtime": "@anthropic-ai/sandbox-runtime",
  pi: "@mariozechner/pi-coding-agent",
  "Gemini CLI core": "@google/gemini-cli-core",
};
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  "node -e 0": [node, "-e", "0"],
  "bash -c true": ["/bin/bash", "-c", "true"],
  haft: [node, bin, "--version"],
  pi: [node, pi, "--version"],
  opencode: [opencode, "--version"],
};
const READS: Readonly<Record<string, readonly string[]>> = {
  "node, readFileSync": [node, "-e", 'console.log(require("fs").readFileSync("pack0/part0/file1.ts", "utf8"))'],
  haft: [node, bin, "call", "Read", '{"file_path":"pack0/part0/file1.ts"}'],
  opencode: [opencode, "debug", "agent", "build", "--tool", "read", "--params", '{"filePath":"pack0/part0/file1.ts"}'],
};

export const start: Part = {
  charts: [
    { id: "import", title: "Import of a library", axis: "library", floor: "node -e 0" },
    { id: "import-memory", title: "Resident memory after the import", axis: "library", floor: "node -e 0" },
    { id: "version", title: "Start of a program (--version)", axis: "program", floor: "node -e 0" },
    { id: "version-memory", title: "Highest resident memory of --version", axis: "program", floor: "node -e 0" },
    {
      ...{ id: "one-read", title: "A process that reads one file and ends", axis: "program" },
      floor: "node, readFileSync",
    },
  ],
  async run({ rounds, isQuick }: Effort) {
    using place = scratch();
    growTree(place.cwd, 0, 200);
    const imports = Object.fromEntries(
      Object.entries(LIBRARIES).map(([name, module]) => [name, [node, "--input-type=module", "-e", imported(module)]]),
    );
    const all: readonly [string, Readonly<Record<string, readonly string[]>>][] = [
      ["import", { "node -e 0": PROGRAMS["node -e 0"]!, ...imports }],
      ["version", PROGRAMS],
      ["one-read", READS],
    ];
    const rows: Row[] = [];
    for (const [chart, commands] of all) {
      const memory = new Map<string, number[]>();
      const works = Object.entries(commands).map(([name, command]) => [
        name,
        async () => {
          const { ms, peak } = await startOf(command, place.cwd, place.home);
          memory.set(name, [...(memory.get(name) ?? []), peak]);
          return ms;
        },
      ]);
      const count = isQuick ? 2 : Math.min(rounds, 12);
      rows.push(...(await interleave({ chart, at: "ready", unit: "ms", rounds: count }, Object.fromEntries(works))));
      if (chart === "one-read") continue;
      for (const [name, peaks] of memory) rows.push(rowOf(`${chart}-memory`, name, "ready", "MB", peaks));
    }
    return rows;
  },
};

const imported = (module: string): string =>
  `await import(${JSON.stringify(isAbsolute(module) ? pathToFileURL(module).href : import.meta.resolve(module))})`;

/** Milliseconds and the peak of resident memory, from /proc. */
async function startOf(command: readonly string[], cwd: string, home: string): Promise<{ ms: number; peak: number }> {
  const env = { PATH: process.env.PATH ?? "", HOME: home, OPENCODE_DISABLE_MODELS_FETCH: "1", PI_OFFLINE: "1" };
  const from = performance.now();
  const child = spawn(command[0]!, command.slice(1), { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    complaint += chunk;
  });
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, residentPeak(child.pid!));
  }, 5);
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject).once("exit", resolve);
    });
    if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}: ${complaint.slice(0, 300)}`);
    return { ms: performance.now() - from, peak };
  } finally {
    clearInterval(look);
  }
}

function residentPeak(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
