import type { Machine } from "@haft/core/executor";
import { availability, createToolFilter, familyOf, type Policy, type PolicyTool } from "@haft/core/policy";
import { createRegistry, type Entry, type Registry } from "@haft/core/registry";
import { builtinTools, type RemoteTool } from "@haft/tools";
import type { HaftOptions } from "../haft.ts";
import { invalidSetup } from "./invalid.ts";
import type { Setup } from "./setup.ts";

/** The built-in tools and the host's own. @throws HaftError `validation_failed` for an invalid tool. */
export async function openRegistry({ tools }: HaftOptions): Promise<Registry> {
  const registry = createRegistry();
  registry.add({ origin: "builtin", name: "haft" }, presetOf(tools, await builtinTools()));
  if (!Array.isArray(tools)) return registry;
  const { refused } = registry.add({ origin: "custom", name: "host" }, tools);
  if (refused[0]) throw invalidSetup(`${refused[0].message} ${refused[0].hint ?? ""}`);
  return registry;
}

/** `read-only` leaves out every tool that could change something, by its declared capabilities. */
function presetOf<T extends { readonly can?: readonly string[] }>(
  tools: HaftOptions["tools"],
  all: readonly T[],
): readonly T[] {
  return tools === "read-only" ? all.filter(({ can }) => can?.every((word) => word === "read")) : all;
}

/** The tools that exist for a model, by the settings and by what the policy forbids entirely. */
export function availableBy({ settings, names }: Setup, policy: () => Policy): Machine["available"] {
  const { enableToolCalls, useTools, tools, toolPolicies } = settings;
  const by = {
    ...(enableToolCalls === undefined ? {} : { enableToolCalls }),
    ...(useTools === undefined ? {} : { useTools }),
    ...(tools ? { tools } : {}),
    names,
    filter: createToolFilter(toolPolicies, names),
    blanketDeny: (tool: PolicyTool) => policy().blanketDeny(tool),
  };
  const known = new WeakMap<Entry, ReturnType<typeof policyTool>>();
  const coordinates = settings.gates?.coordinator === true;
  return (entry, ctx) => {
    if (coordinates && ctx.agent.parent === undefined && !leavesWork(entry))
      return { absent: "this agent only coordinates (gates.coordinator)" };
    let tool = known.get(entry);
    if (!tool) {
      tool = policyTool(entry);
      known.set(entry, tool);
    }
    return availability(tool, by, ctx);
  };
}

/** Whether a tool does no work of its own: it starts agents, asks, or keeps notes. */
const leavesWork = ({ tool: { can = ["unknown"] } }: Entry): boolean =>
  can.every((word) => word === "delegate" || word === "state" || word === "ask");

/** A remote tool's name on its server. A local tool with a similar name has none. */
const remoteNameOf = (tool: object): Pick<PolicyTool, "remoteName"> =>
  "mcpInfo" in tool ? { remoteName: (tool as RemoteTool).mcpInfo.toolName } : {};

/** A tool in the form that rules and settings use. */
export function policyTool({ tool, source }: Entry) {
  const { name, aliases, enabled, when } = tool;
  const family = tool.rules?.family ?? familyOf(name, tool.can);
  return {
    name,
    origin: source.origin,
    ...(aliases ? { aliases } : {}),
    ...(family === undefined ? {} : { family }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(when ? { when: when.bind(tool) } : {}),
    ...(source.origin === "mcp" ? { server: source.name, ...remoteNameOf(tool) } : {}),
  };
}
