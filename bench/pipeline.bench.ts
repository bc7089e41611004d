/**
 * The cost of the pipeline for a call that does nothing: 100 rules, two hooks, with 10 and with 10,000 registered tools.
 * Compared with awaiting the bare function, so that the figure is the pipeline's and not the machine's.
 */
import { createExecutor, type Machine } from "@haft/core/executor";
import { createPolicy } from "@haft/core/policy";
import { createRegistry } from "@haft/core/registry";
import { defineTool } from "@haft/core/tool";
import { createHost } from "@haft/host/process";
import { type Figure, p50 } from "./measure.ts";

export async function pipelineFigures(): Promise<Figure[]> {
  const machines = new Map<number, ReturnType<typeof createExecutor>>();
  for (const tools of [10, 10_000]) machines.set(tools, createExecutor(machineWith(tools)));
  const samples = new Map<number, number[]>([
    [10, []],
    [10_000, []],
  ]);
  for (let round = 0; round < 100; round++) {
    for (const [tools, executor] of machines) {
      for (let index = 0; index < 100; index++) {
        const from = performance.now();
        await executor.run([{ id: "c", tool: "Nothing", input: { n: index } }]);
        // The first rounds are the compiler's.
        if (round >= 40) samples.get(tools)?.push((performance.now() - from) * 1000);
      }
    }
  }
  const [few, many] = [p50(samples.get(10) ?? []), p50(samples.get(10_000) ?? [])];
  return [
    { name: "pipeline, 100 rules, 2 hooks, 10 tools", value: few, unit: "µs p50", limit: 15 },
    { name: "pipeline, 100 rules, 2 hooks, 10,000 tools", value: many, unit: "µs p50", limit: 15 },
    { name: "10,000 tools against 10", value: many / few, unit: "×", limit: 1.3 },
  ];
}

function machineWith(tools: number): Machine {
  const host = createHost();
  const registry = createRegistry();
  const input = { type: "object", properties: { n: { type: "number", description: "A number." } } } as const;
  const nothing = (name: string) =>
    defineTool({ name, description: "Does nothing.", input, can: [], effects: () => [], run: ({ n }) => n });
  registry.add({ origin: "builtin", name: "bench" }, [nothing("Nothing")]);
  registry.add(
    { origin: "custom", name: "bench" },
    Array.from({ length: tools - 1 }, (_, index) => nothing(`T${index}`)),
  );
  const folder = process.cwd();
  const workspace = {
    root: folder,
    startedIn: folder,
    cwd: folder,
    home: host.home,
    additional: [],
    platform: "linux",
  };
  const rules = Array.from({ length: 100 }, (_, index) => ({
    behavior: (["allow", "ask", "deny"] as const)[index % 3]!,
    origin: "user" as const,
    text: index % 2 ? `Bash(command${index} *)` : `Edit(/dir${index}/**)`,
  }));
  const policy = createPolicy({ workspace, rules });
  const hook = (name: string) => ({ name, before: async () => undefined });
  return {
    registry,
    available: () => true,
    policy: () => policy,
    hooks: [hook("one"), hook("two")],
    ports: host.ports,
    agent: { id: "main" },
    session: { id: "bench" },
    cwd: () => folder,
    home: host.home,
    offerContext: () => ({ cwd: folder, agent: { id: "main" }, platform: "linux", ports: new Set(), mode: "default" }),
  };
}
