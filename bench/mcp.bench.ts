/**
 * What Haft adds to a call of a remote tool: the whole pipeline and our transport against the SDK's bare client, each
 * with a process of the same server, in turns.
 */
import { fileURLToPath } from "node:url";
import { createExecutor, type Machine } from "@haft/core/executor";
import { createPolicy } from "@haft/core/policy";
import { createRegistry } from "@haft/core/registry";
import { createHost } from "@haft/host/process";
import { createMcpManager } from "@haft/mcp";
import { type Figure, p50 } from "./measure.ts";

const SERVER = fileURLToPath(new URL("../packages/mcp/test/servers/rough.mjs", import.meta.url));
const ROUNDS = 150;
const CALLS = 100;

export async function mcpFigures(): Promise<Figure[]> {
  const sdk = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const bare = new sdk.Client({ name: "bench", version: "0" });
  await bare.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER, "flaky"] }));
  const registry = createRegistry();
  const manager = createMcpManager({ registry, cwd: process.cwd() });
  manager.add({ name: "peer", command: process.execPath, args: [SERVER, "flaky"] });
  await manager.settled();
  const executor = createExecutor(machineWith(registry));
  const ways = {
    bare: () => bare.callTool({ name: "pid", arguments: {} }),
    haft: () => executor.run([{ id: "c", tool: "mcp__peer__pid", input: {} }]),
  };
  const medians: Record<keyof typeof ways, number[]> = { bare: [], haft: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of ["bare", "haft"] as const) {
      const samples: number[] = [];
      for (let index = 0; index < CALLS; index += 1) {
        const from = performance.now();
        await ways[way]();
        samples.push((performance.now() - from) * 1_000);
      }
      // The first rounds are the compiler's.
      if (round >= ROUNDS / 3) medians[way].push(p50(samples));
    }
  }
  await Promise.all([bare.close(), manager.close()]);
  // Use all rounds: the fastest one depends on where the scheduler happened to put the processes.
  const [theirs, ours] = [p50(medians.bare), p50(medians.haft)];
  return [
    { name: "a remote call with the SDK's bare client", value: theirs, unit: "µs p50", limit: 1_000 },
    { name: "what Haft's pipeline and transport add to it", value: ours - theirs, unit: "µs p50", limit: 50 },
  ];
}

function machineWith(registry: ReturnType<typeof createRegistry>): Machine {
  const host = createHost();
  const folder = process.cwd();
  const policy = createPolicy({
    rules: [{ behavior: "allow", origin: "user", text: "mcp__peer" }],
    mode: "default",
    trusted: true,
    workspace: {
      root: folder,
      startedIn: folder,
      cwd: folder,
      home: host.home,
      additional: [],
      readable: [],
      platform: "linux",
    },
  });
  return {
    registry,
    available: ({ tool }, ctx) => tool.when?.(ctx) ?? true,
    policy: () => policy,
    ports: host.ports,
    agent: { id: "main" },
    session: { id: "bench" },
    cwd: () => folder,
    home: host.home,
    loopGuard: false,
    offerContext: () => ({
      cwd: folder,
      agent: { id: "main" },
      platform: "linux",
      ports: new Set(),
      mode: "default",
    }),
  };
}
