/** The cost of confinement: `true` with and without it, interleaved; and a request through the proxy. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, type RequestOptions, request } from "node:http";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { startProxy } from "@haft/host/net";
import { createProcesses } from "@haft/host/process";
import { reachOf } from "@haft/host/reach";
import { openJournal } from "@haft/journal";
import { createCapture } from "@haft/journal/capture";
import { confinedProcesses, createConfiner, createTierProbe, fencedBy } from "@haft/sandbox";
import { createJobs, type JobStore } from "@haft/service/jobs";
import { type Bound, effects } from "../packages/core/src/tool/index.ts";
import { type Figure, minimum, p50 } from "./measure.ts";

const ROUNDS = 40;
const PAUSE_MS = 15;
const REQUESTS = 300;

export async function sandboxFigures(): Promise<Figure[]> {
  return [...(await commandFigures()), ...(await proxyFigures())];
}

async function commandFigures(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), "haft-bench-"));
  const [root, state] = [join(base, "work"), join(base, "state")];
  for (const folder of [root, state]) mkdirSync(folder);
  const workspace = { root, additional: [], home: "/nowhere", platform: "linux" };
  const probe = createTierProbe({ workspaces: [root], home: "/nowhere" });
  if ((await probe()).bwrap === undefined) return [];
  const options = { probe, workspace: () => workspace, quarantine: join(state, "quarantine") };
  const plain = createProcesses();
  const confined = confinedProcesses(options);
  const confiner = createConfiner(options);
  // As a session with the journal and the sandbox on has it.
  const capture = createCapture({ isConfined: true });
  const journal = openJournal({ folder: join(state, "journal"), root, capture });
  const viewed = confinedProcesses({ ...options, host: { around: capture.around } });
  const inView = (round: number, env: Readonly<Record<string, string>> = {}) => {
    const call = { id: `c${round}`, tool: "Bash", turn: round, session: "s" };
    return journal.command(call, { ...place, bound: writer, env }, viewed.run);
  };
  const [jobs, confinedJobs] = [createJobs(), createJobs({ fence: fencedBy(confiner) })];
  const reader: Bound = {
    effects: [effects.run({ argv: ["true"], text: "true", cwd: root, opaque: false })],
    holes: [],
  };
  const writer: Bound = { effects: [effects.unknown("a bench")], holes: [] };
  const place = { command: "true", cwd: root };
  // In turns, so that a neighbour's load falls on all alike.
  const kinds: Record<string, (round: number) => Promise<unknown>> = {
    bare: () => exit(spawn("/bin/bash", ["-c", "true"], { stdio: "ignore" })),
    plain: () => plain.run(place),
    reader: () => confined.run({ ...place, bound: reader }),
    // Its fence is never the one that stands already.
    "reader, first": (round) => confined.run({ ...place, bound: reader, env: { ROUND: `${round}` } }),
    writer: () => confined.run({ ...place, bound: writer }),
    "writer, first": (round) => confined.run({ ...place, bound: writer, env: { ROUND: `${round}` } }),
    "in a view": inView,
    "in a view, first": (round) => inView(round, { ROUND: `${round}` }),
    job: () => start(jobs, writer),
    "job, confined": () => start(confinedJobs, writer),
  };
  const start = async (store: JobStore, bound: Bound) => {
    const { id } = await store.start({ ...place, bound });
    await store.wait(id, { timeoutMs: 10_000 });
    await store.remove(id);
  };
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, run] of Object.entries(kinds)) {
        const from = performance.now();
        await run(round);
        times[name]?.push(performance.now() - from);
        // Nobody sends one command on the heels of another: between them lies at least a model's word.
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
  } finally {
    await Promise.all([plain, confined, viewed, jobs, confinedJobs].map((one) => one.close()));
    confiner.close();
    journal.close();
    rmSync(base, { recursive: true, force: true });
  }
  console.log(`     load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`);
  for (const [name, all] of Object.entries(times)) {
    const [least, median] = [minimum(all), p50(all)];
    const ratio = (median / p50(times.plain!)).toFixed(2);
    console.log(
      `     true, ${name.padEnd(16)} least ${least.toFixed(2)} ms, median ${median.toFixed(2)} ms, ${ratio} × plain`,
    );
  }
  const over = (name: string) => p50(times[name]!) - p50(times.plain!);
  return [
    { name: "a proved reader in its read-only view, over plain", value: over("reader"), unit: "ms", limit: 4 },
    { name: "an unread command in the sandbox, over plain", value: over("writer"), unit: "ms", limit: 4 },
    { name: "an unread command in the sandbox and a view, over plain", value: over("in a view"), unit: "ms", limit: 7 },
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
