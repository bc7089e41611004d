import type { Toolbox } from "@haft/core/adapter";
import { createExecutor, type Machine } from "@haft/core/executor";
import { whenAvailable } from "@haft/core/registry";
import { type ToolLike, unknown } from "@haft/core/tool";
import { testMachine } from "./machine.ts";

/** A toolbox over a real executor. Descriptions in tests are plain texts, so the offer can be had at once. */
export function testToolbox(tools: readonly ToolLike[], changes: Partial<Machine> = {}) {
  const { machine, registry, events } = testMachine(tools, changes);
  const executor = createExecutor(machine);
  const toolbox: Toolbox = {
    offer() {
      const known = new Set(registry.entries().map(({ tool }) => tool.name));
      const present = registry
        .entries()
        .filter(
          (entry) => whenAvailable(machine.available, entry, { ...machine.offerContext(), tools: known }) === true,
        );
      const offered = present.map((entry) => {
        const { name, description, input } = entry.tool;
        return { name, description: String(description), input, entry };
      });
      return { tools: offered, prompt: [], absent: [] };
    },
    open: (options) => executor.open(options),
    async decide(request) {
      const { decision, error } = await executor.explain(request);
      if (decision) return decision;
      const reason = error?.message ?? "nobody knows";
      return {
        decision: "deny",
        reason,
        ...(error ? { code: error.code } : {}),
        trace: [],
        suggestions: [],
        grant: { effects: [unknown(reason)], holes: [] },
      };
    },
  };
  return { toolbox, machine, registry, executor, events };
}
