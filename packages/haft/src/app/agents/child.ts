import { createToolFilter, type ToolAgentSettings, type ToolNames } from "@haft/core/policy";
import { policyToolOf } from "@haft/core/registry";
import type { AgentRequest, Agents } from "@haft/core/tool";
import type { RunHooks } from "@haft/plugins/hook";
import { type NarrowedPorts, narrow } from "../derive-agent.ts";
import type { Adoption, Parts } from "../public-api.ts";
import { hookedTasks } from "../session/hooked-ports.ts";
import { tasksOn } from "../session/session-ports.ts";
import { confirming } from "./confirming.ts";
import type { AgentNode } from "./node.ts";
import { bothHooks, equipped, type OwnPartsOptions } from "./own-parts.ts";
import type { Pool } from "./pool.ts";
import type { AgentDefinition } from "./type/agent-type.ts";

export interface ChildOptions {
  readonly names: ToolNames;
  readonly own: OwnPartsOptions;
  readonly settings: Pick<ToolAgentSettings, "autoConfirmDangerous">;
  /** The agents port of this agent; absent where it may start none. */
  readonly port?: Agents | undefined;
  /** Why it may start none. */
  readonly noAgents?: string;
  readonly runHooks: RunHooks;
  /** Ends the wait for its servers. */
  readonly signal: AbortSignal;
  adopt(ref: AgentNode["ref"]): Adoption;
}

/** The parts of an agent, and what ends with it. */
export interface AgentParts {
  readonly parts: Parts;
  readonly runHooks: RunHooks;
  close(): Promise<void>;
}

/** The parts of an agent's Haft: its parent's, narrowed by its type and its request, and paid from its own pool. */
export function childParts(
  node: AgentNode,
  request: AgentRequest,
  effects: readonly (readonly string[])[],
  { settings, port, adopt, ...options }: ChildOptions,
): AgentParts {
  const { control: _, role: __, ...parts } = node.parent!.parts();
  const tasks = node.team ? { tasks: hookedTasks(tasksOn(node.team.tasks), options.runHooks) } : {};
  const ports = { ...(port ? { agents: port } : {}), ...tasks };
  const confirms = request.confirms ?? settings.autoConfirmDangerous ?? false;
  const child = typedParts(parts, node.type!, { ...options, effects, ports, ref: node.ref, pool: node.pool, confirms });
  return { ...child, parts: { ...child.parts, adopt, close: async () => {} } };
}

/** The parts of a session whose main agent is one of a file. A person may still change its mode, model and tools. */
export function mainParts(
  parts: Parts,
  type: AgentDefinition,
  options: Pick<ChildOptions, "names" | "own" | "runHooks"> & { readonly pool: Pool },
): AgentParts {
  const { agents } = parts.machine.ports;
  const effects = type.effects ? [type.effects] : [];
  const ports = agents ? { agents } : {};
  const ref = parts.machine.agent;
  return typedParts(parts, type, { ...options, effects, ports, ref, confirms: false });
}

interface TypedOptions extends Pick<ChildOptions, "names" | "own" | "runHooks" | "noAgents"> {
  readonly effects: readonly (readonly string[])[];
  readonly ports: NarrowedPorts;
  readonly ref: AgentNode["ref"];
  readonly pool: Pool;
  readonly confirms: boolean;
  readonly signal?: AbortSignal;
}

function typedParts(
  parts: Parts,
  type: AgentDefinition,
  { names, own, runHooks, effects, ports, ref, pool, confirms, signal, noAgents }: TypedOptions,
): AgentParts {
  const more = [...(type.memory ? MEMORY_TOOLS : []), ...Object.keys(type.servers ?? {}).map(allToolsOf)];
  const tools = type.tools && [...type.tools, ...more];
  const filter = createToolFilter([known({ allow: tools, deny: type.disallowedTools }, names)], names);
  const narrowed = narrow(
    parts,
    {
      agent: ref,
      ...(type.mode ? { mode: type.mode } : {}),
      only: (entry) => filter.exclusion(policyToolOf(entry)) === undefined,
    },
    ports,
  );
  const within = effects.reduce((inner, bound) => narrow(inner, { effects: bound }, ports), narrowed);
  const { approvals, offerContext } = within.machine;
  const withReason = (): ReturnType<typeof offerContext> => {
    const context = offerContext();
    return { ...context, missing: { ...context.missing, ...(noAgents === undefined ? {} : { agents: noAgents }) } };
  };
  const changes = {
    afford: () => pool.take("calls"),
    offerContext: withReason,
    ...(confirms ? { approvals: confirming(approvals) } : {}),
  };
  const paid = {
    ...within,
    machine: { ...within.machine, ...changes },
    executor: within.executor.with(changes),
  };
  const { parts: whole, runHooks: ownHooks, close } = equipped(paid, type, own);
  const ready = { ...parts, ...whole };
  const servers = own.openServers(type, ready, signal);
  return {
    parts: { ...ready, ...servers?.parts },
    runHooks: bothHooks(runHooks, ownHooks),
    async close() {
      close();
      await servers?.close();
    },
  };
}

/** The tools that an agent with a memory of its own has beside those that its file lists. */
const MEMORY_TOOLS = ["Memory", "memory_search", "memory_get"];

const allToolsOf = (server: string): string => `mcp__${server}`;

/** Unknown names match no tool: they are left out, and the rest counts. */
function known(
  { allow, deny }: { allow: readonly string[] | undefined; deny: readonly string[] | undefined },
  names: ToolNames,
) {
  const real = (list: readonly string[]) =>
    list.filter((name) => names.canonical(name) !== undefined || name.startsWith("mcp__"));
  return { ...(allow ? { allow: real(allow) } : {}), ...(deny ? { deny: real(deny) } : {}), source: "agent" };
}
