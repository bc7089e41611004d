import { type BrokerOptions, createBroker } from "@haft/core/approval";
import { createExecutor, type Machine } from "@haft/core/executor";
import { createPolicy, type RuleSource } from "@haft/core/policy";
import { createRegistry, type Source } from "@haft/core/registry";
import type { Tool } from "@haft/core/tool";
import { testMachine } from "./machine.ts";
import { memoryPorts } from "./memory.ts";

/** Tools of a host's own under the real policy: nothing is allowed that a mode or a rule does not allow. */
export function customTools(
  tools: readonly Tool[],
  options: {
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
    readonly basis?: Source["basis"];
    readonly answer?: NonNullable<BrokerOptions["askers"]>[number]["ask"];
    readonly disk?: Map<string, string>;
  } = {},
) {
  const { allow = [], deny = [], basis, answer, disk = new Map([["/w/a.ts", "a"]]) } = options;
  const registry = createRegistry();
  const { refused } = registry.add({ origin: "custom", name: "host", ...(basis ? { basis } : {}) }, tools);
  if (refused[0]) throw new Error(refused[0].message);
  const rule = (behavior: RuleSource["behavior"]) => (text: string) => ({ behavior, origin: "cli", text }) as const;
  const policy = createPolicy({
    workspace: { root: "/w", startedIn: "/w", cwd: "/w", home: "/home/u", additional: [], platform: "linux" },
    rules: [...allow.map(rule("allow")), ...deny.map(rule("deny"))],
  });
  const ports = memoryPorts(disk);
  let asked = 0;
  const approvals = createBroker({
    askers: answer ? [{ name: "user", ask: answer }] : [],
    clock: ports.clock,
    newId: () => `r${++asked}`,
  });
  const changes: Partial<Machine> = { registry, policy: () => policy, ports, approvals };
  const { machine, events } = testMachine([], changes);
  const executor = createExecutor(machine);
  const call = async (tool: string, input: unknown, id = `c${asked}-${Math.random()}`) =>
    (await executor.run([{ id, tool, input }]))[0]!;
  return { executor, approvals, registry, events, disk, call };
}
