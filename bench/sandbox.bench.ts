/** What confinement costs: a sandboxed `true` against the same without, in turns; and a request through the proxy. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, type RequestOptions, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bound, effects } from "../packages/core/src/tool/index.ts";
import { createProcesses } from "../packages/tools/src/host/index.ts";
import { confinedProcesses, createTierProbe } from "../packages/tools/src/sandbox/index.ts";
import { reachOf, startProxy } from "../packages/tools/src/sandbox/network/index.ts";
import { type Figure, minimum, p50 } from "./measure.ts";

const ROUNDS = 40;
const REQUESTS = 300;

export async function sandboxFigures(): Promise<Figure[]> {
  return [...(await commandFigures()), ...(await proxyFigures())];
}

async function commandFigures(): Promise<Figure[]> {
  const root = mkdtempSync(join(tmpdir(), "haft-bench-"));
  const workspace = { root, additional: [], home: "/nowhere", platform: "linux" };
  const probe = createTierProbe({ workspaces: [root], home: "/nowhere" });
  if ((await probe()).bwrap === undefined) return [];
  const plain = createProcesses();
  const confined = confinedProcesses({ probe, workspace: () => workspace, quarantine: join(root, "quarantine") });
  const reader: Bound = {
    effects: [effects.run({ argv: ["true"], text: "true", cwd: root, opaque: false })],
    holes: [],
  };
  const writer: Bound = { effects: [effects.unknown("a bench")], holes: [] };
  const times: Record<string, number[]> = { bare: [], plain: [], reader: [], writer: [] };
  const took = async (name: string, run: () => Promise<unknown>) => {
    const from = performance.now();
    await run();
    times[name]!.push(performance.now() - from);
  };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await took("bare", () => exit(spawn("/bin/bash", ["-c", "true"], { stdio: "ignore" })));
      await took("plain", () => plain.run({ command: "true", cwd: root }));
      await took("reader", () => confined.run({ command: "true", cwd: root, bound: reader }));
      await took("writer", () => confined.run({ command: "true", cwd: root, bound: writer }));
    }
  } finally {
    await Promise.all([plain.close(), confined.close()]);
    rmSync(root, { recursive: true, force: true });
  }
  for (const [name, all] of Object.entries(times))
    console.log(`     true, ${name.padEnd(8)} least ${minimum(all).toFixed(2)} ms, median ${p50(all).toFixed(2)} ms`);
  const over = (name: string) => minimum(times[name]!) - minimum(times.plain!);
  return [
    { name: "a proved reader in its read-only view, over plain", value: over("reader"), unit: "ms", limit: 4 },
    { name: "an unread command in the sandbox, over plain", value: over("writer"), unit: "ms", limit: 4 },
  ];
}

const exit = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once("exit", resolve));

/** Connections are kept, as programs do. */
async function proxyFigures(): Promise<Figure[]> {
  const server = createServer((_, answer) => answer.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const proxy = await startProxy(reachOf([`127.0.0.1:${port}`]));
  const agent = new Agent({ keepAlive: true });
  const through = {
    socketPath: proxy.socket,
    path: `http://127.0.0.1:${port}/`,
    agent: new Agent({ keepAlive: true }),
  };
  const times: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < REQUESTS; round++) {
      times[0].push(await get({ host: "127.0.0.1", port, agent }));
      times[1].push(await get(through));
    }
  } finally {
    agent.destroy();
    through.agent.destroy();
    await proxy.close();
    server.close();
  }
  return [
    { name: "a request through the proxy, over direct", value: p50(times[1]) - p50(times[0]), unit: "ms", limit: 1 },
  ];
}

function get(options: RequestOptions): Promise<number> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    request(options, (response) => response.resume().once("end", () => resolve(performance.now() - from)))
      .once("error", reject)
      .end();
  });
}
