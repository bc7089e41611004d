import type { Toolbox } from "@haft/core/adapter";
import { createExecutor, type Machine } from "@haft/core/executor";
import { createOffers } from "@haft/core/registry";
import { type ToolLike, unknown } from "@haft/core/tool";
import { testMachine } from "./machine.ts";

/** A toolbox over a real executor and registry. */
export function testToolbox(tools: readonly ToolLike[], changes: Partial<Machine> = {}) {
  const { machine, registry, events } = testMachine(tools, changes);
  const executor = createExecutor(machine);
  const offers = createOffers({ registry, available: machine.available, context: machine.offerContext });
  const toolbox: Toolbox = {
    offer: () => offers.now(),
    open: (options) => executor.open(options),
    async decide(request) {
      const { decision, contents, error } = await executor.explain(request);
      if (decision) return { ...decision, ...(contents ? { contents } : {}) };
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
  return { toolbox, machine, registry, executor, offers, events };
}
