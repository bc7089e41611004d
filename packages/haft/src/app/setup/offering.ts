import type { Machine } from "@haft/core/executor";
import {
  availability,
  builtinToolNames,
  createToolFilter,
  openGates,
  type Policy,
  type PolicyTool,
  type Settings,
} from "@haft/core/policy";
import { createRegistry, type Entry, policyToolOf, type Registry } from "@haft/core/registry";
import type { EffectWord, Tool, ToolLike } from "@haft/core/tool";
import { builtins, builtinTools } from "@haft/tools";
import type { HaftOptions } from "../haft.ts";
import { invalidSetup } from "./invalid.ts";
import type { Setup } from "./setup.ts";

/**
 * The built-in tools and the host's own. `alone`: the only one that will be called; the files of the others are not loaded.
 *
 * @throws HaftError `validation_failed` for an invalid tool.
 */
export async function openRegistry({ tools }: OwnOptions, alone?: Tool): Promise<Registry> {
  const registry = createRegistry(alone ? { reserved: builtinNames() } : {});
  registry.add({ origin: "builtin", name: "haft" }, presetOf(tools, alone ? [alone] : await builtinTools()));
  if (tools === undefined || typeof tools === "string") return registry;
  const { refused } = registry.add({ origin: "custom", name: "host" }, tools);
  if (refused[0]) throw invalidSetup(`${refused[0].message} ${refused[0].hint ?? ""}`);
  return registry;
}

/** The effects of tools that work on files, programs and the network. Any other tool may reach further parts of a session. */
const OWN_WORK: ReadonlySet<EffectWord> = new Set<EffectWord>(["read", "write", "run", "connect", "unknown"]);

/** The built-in tool of that name or alias, if its calls need nothing of a session but the world. */
export async function loadAlone(called: string): Promise<Tool | undefined> {
  const name = builtinNames().get(called);
  const tool = await builtins.find((one) => one.name === name)?.load();
  const { can = [] } = tool ?? {};
  // A tool that only connects reads pages or searches with parts of a session.
  const isWork = can.some((word) => word !== "connect") && can.every((word) => OWN_WORK.has(word));
  return isWork ? tool : undefined;
}

/** Whether calls of a tool may start programs. */
export const mayRun = ({ can = ["unknown"] }: Tool): boolean => can.includes("run") || can.includes("unknown");

/** Each name and alias of a built-in tool, with its name. */
const builtinNames = (): ReadonlyMap<string, string> =>
  new Map(
    builtins.flatMap(({ name }) =>
      [name, ...builtinToolNames.aliases(name)].map((one): [string, string] => [one, name]),
    ),
  );

/** The options with tools of other SDKs as ours. @throws HaftError `validation_failed` for what cannot be a tool. */
export async function withOwnTools(options: HaftOptions): Promise<OwnOptions> {
  const { tools, ...rest } = options;
  if (tools === undefined) return rest;
  if (typeof tools === "string") return { ...rest, tools };
  const { fromForeign } = await import("@haft/core/compat/foreign");
  const own = tools.flatMap((tool, at): readonly ToolLike[] => fromForeign(tool, `tools[${at}]`) ?? [tool as ToolLike]);
  return { ...rest, tools: own };
}

/** Options whose tools are all of Haft's own form. */
export type OwnOptions = Omit<HaftOptions, "tools"> & { readonly tools?: "coding" | "read-only" | readonly ToolLike[] };

/** `read-only` leaves out every tool that could change something, by its declared capabilities. */
function presetOf<T extends { readonly can?: readonly string[] }>(
  tools: HaftOptions["tools"],
  all: readonly T[],
): readonly T[] {
  return tools === "read-only" ? all.filter(({ can }) => can?.every((word) => word === "read")) : all;
}

/** The switches of the tools, which a person may change while a session runs. */
export type ToolSwitches = Pick<Settings, "enableToolCalls" | "tools">;

/** The part of the settings that switches tools. */
export const switchesOf = ({ enableToolCalls, tools }: ToolSwitches): ToolSwitches => ({
  ...(enableToolCalls === undefined ? {} : { enableToolCalls }),
  ...(tools ? { tools } : {}),
});

/** The tools that exist for a model, by the settings and by what the policy forbids entirely. */
export function availableBy(
  { settings, names }: Setup,
  policy: () => Policy,
  switches: () => ToolSwitches,
): Machine["available"] {
  const { useTools, toolPolicies } = settings;
  const gates = openGates(settings.gates);
  const by = {
    ...(useTools === undefined ? {} : { useTools }),
    names,
    gates,
    filter: createToolFilter(toolPolicies, names),
    blanketDeny: (tool: PolicyTool) => policy().blanketDeny(tool),
  };
  const known = new WeakMap<Entry, Parameters<typeof availability>[0]>();
  const coordinates = gates.has("COORDINATOR_MODE");
  return (entry, ctx) => {
    if (coordinates && ctx.agent.parent === undefined && !leavesWork(entry))
      return { absent: "this agent only coordinates (gates.COORDINATOR_MODE)" };
    let tool = known.get(entry);
    if (!tool) {
      const { enabled, when } = entry.tool;
      const conditions = {
        ...(enabled === undefined ? {} : { enabled }),
        ...(when ? { when: when.bind(entry.tool) } : {}),
      };
      tool = { ...policyToolOf(entry), ...conditions };
      known.set(entry, tool);
    }
    return availability(tool, { ...by, ...switches() }, ctx);
  };
}

/** Whether a tool does no work of its own: it starts agents, asks, or keeps notes. */
const leavesWork = ({ tool: { can = ["unknown"] } }: Entry): boolean =>
  can.every((word) => word === "delegate" || word === "state" || word === "ask");
