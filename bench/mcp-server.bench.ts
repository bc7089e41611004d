/** The cost of calls over `haft mcp` against the SDK's low-level server, interleaved. Ours runs the whole pipeline. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Figure, minimum } from "./measure.ts";

const haft = join(import.meta.dirname, "../packages/haft/bin/haft.mjs");
const here = join(import.meta.dirname, "mcp");
/** The first are the compiler's, on both sides, longer on the side with more to compile; a server lives for long. */
const ROUNDS = { stdio: 70, HTTP: 50 };
const WARM = 10;
const CALLERS = 64;
const CALLS = 1_000;
/** Nine tenths of the other's throughput. */
const LIMIT = 1 / 0.9;

interface Served {
  readonly client: Client;
  readonly pid: number;
  close(): Promise<void>;
}

export async function mcpServerFigures(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), "haft-bench-"));
  try {
    const figures: Figure[] = [];
    for (const [transport, tools] of [
      ["stdio", 10],
      ["stdio", 300],
      ["HTTP", 10],
      ["HTTP", 300],
    ] as const) {
      const env = {
        PATH: process.env.PATH ?? "",
        HOME: home,
        HAFT_STATE_DIR: join(home, "state"),
        BENCH_TOOLS: String(tools),
      };
      const module = ["--module", join(here, "tools.mjs")];
      const open = transport === "stdio" ? overStdio : overHttp;
      const http = transport === "HTTP" ? ["--http", "--no-token", "--json"] : [];
      const ours = await open([haft, "mcp", ...http, ...module], env, home);
      const theirs = await open([join(here, "sdk-server.mjs"), ...(http.length > 0 ? ["http"] : [])], env, home);
      figures.push(...(await compare(`${transport}, ${tools} tools`, ROUNDS[transport], ours, theirs)));
      await Promise.all([ours.close(), theirs.close()]);
    }
    return figures;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function compare(name: string, rounds: number, ours: Served, theirs: Served): Promise<Figure[]> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  const cpu = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const [who, served] of [
      ["ours", ours],
      ["theirs", theirs],
    ] as const) {
      const [from, used] = [performance.now(), cpuOf(served.pid)];
      await storm(served.client);
      times[who].push(performance.now() - from);
      cpu[who].push(cpuOf(served.pid) - used);
    }
  }
  // All of them: the fastest round tells how the scheduler once happened to let two processes overlap.
  const mean = (list: readonly number[]) => list.slice(WARM).reduce((sum, one) => sum + one, 0) / (list.length - WARM);
  const told = (who: "ours" | "theirs") =>
    `${perSecond(mean(times[who]))} calls/s (the fastest round ${perSecond(minimum(times[who]))}; ${perCall(mean(cpu[who]))} µs CPU)`;
  console.log(`     ${name}: ${told("ours")} against ${told("theirs")}`);
  return [
    {
      name: `haft mcp, ${name}, a call against the SDK's server`,
      value: mean(times.ours) / mean(times.theirs),
      unit: "×",
      limit: LIMIT,
    },
  ];
}

const perSecond = (ms: number): number => Math.round((CALLS / ms) * 1000);
const perCall = (ms: number): number => Math.round((ms / CALLS) * 1000);

async function storm(client: Client): Promise<void> {
  let left = CALLS;
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const text = `text ${left}`;
      const { content } = await client.callTool({ name: `echo_${left % 10}`, arguments: { text } });
      if ((content[0] as { text?: string }).text !== text)
        throw new Error(`a wrong answer: ${JSON.stringify(content)}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

async function overStdio(args: readonly string[], env: Record<string, string>, cwd: string): Promise<Served> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env,
    cwd,
    stderr: "ignore",
  });
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(transport);
  return { client, pid: transport.pid!, close: () => client.close() };
}

async function overHttp(args: readonly string[], env: Record<string, string>, cwd: string): Promise<Served> {
  const child: ChildProcess = spawn(process.execPath, args, { env, cwd, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(createInterface({ input: child.stdout! }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    client,
    pid: child.pid!,
    async close() {
      await client.close();
      child.kill();
      await once(child, "close");
    },
  };
}

/** Milliseconds of processor time that the threads of a process have used. Linux only. */
function cpuOf(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const used = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, "schedstat"), "utf8").split(" ")[0]);
  return used.reduce((sum, nanoseconds) => sum + Number(nanoseconds), 0) / 1e6;
}
