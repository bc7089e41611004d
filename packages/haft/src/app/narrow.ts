import type { Executor, Machine } from "@haft/core/executor";
import type { Narrowing } from "./haft.ts";

/** A machine with less: fewer tools, more rules, a stricter mode. What would widen is left out, never an error later. */
export function narrow(
  machine: Machine,
  executor: Executor,
  { tools, rules, mode, agent = machine.agent }: Narrowing,
): { readonly machine: Machine; readonly executor: Executor } {
  const chosen = tools && new Set(tools.map((name) => machine.registry.get(name)?.tool.name ?? name));
  const changes: Partial<Machine> = {
    agent,
    available: (entry, ctx) => {
      if (chosen && !chosen.has(entry.tool.name)) return { absent: "this agent was not given it" };
      return machine.available(entry, ctx);
    },
    policy: () => machine.policy().narrowed({ ...(mode ? { mode } : {}), ...(rules ? { rules } : {}) }),
    offerContext: () => ({ ...machine.offerContext(), agent }),
  };
  return { machine: { ...machine, ...changes }, executor: executor.with(changes) };
}
