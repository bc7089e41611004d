import type { Machine } from "@haft/core/executor";
import type { ToolLike } from "@haft/core/tool";
import { memoryPorts } from "../../../core/test/support/memory.ts";
import { testToolbox } from "../../../core/test/support/toolbox.ts";
import { Append, Count, Get, Put } from "../../../core/test/support/tools.ts";

/** An executor with toy tools over a disk in memory, and the offer that belongs to it. */
export function agentSetup(tools: readonly ToolLike[] = [Get, Put, Append, Count], changes: Partial<Machine> = {}) {
  const disk = new Map([["/w/a.ts", "a"]]);
  const { registry, executor, offers, events } = testToolbox(tools, { ports: memoryPorts(disk), ...changes });
  const offer = () => offers.current();
  const started = () => events.filter(({ type }) => type === "tool:execution:start").map(({ call }) => call.id);
  return { disk, registry, executor, events, offer, started };
}
