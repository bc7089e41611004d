import { createToolFilter, type ToolAgentSettings, type ToolNames } from "@haft/core/policy";
import { policyToolOf } from "@haft/core/registry";
import type { AgentRequest, Agents } from "@haft/core/tool";
import type { RunHooks } from "@haft/plugins/hook";
import { narrow } from "../derive-agent.ts";
import type { Adoption, Parts } from "../public-api.ts";
import { hookedTasks } from "../session/hooked-ports.ts";
import { tasksOn } from "../session/session-ports.ts";
import { confirming } from "./confirming.ts";
import type { AgentNode } from "./node.ts";

export interface ChildOptions {
  readonly names: ToolNames;
  readonly settings: Pick<ToolAgentSettings, "autoConfirmDangerous">;
  /** The agents port of this agent; absent where it may start none. */
  readonly port: Agents | undefined;
  readonly runHooks: RunHooks;
  adopt(ref: AgentNode["ref"]): Adoption;
}

/** The parts of an agent's Haft: its parent's, narrowed by its type and its request, and paid from its own pool. */
export function childParts(
  node: AgentNode,
  request: AgentRequest,
  effects: readonly (readonly string[])[],
  { names, settings, port, runHooks, adopt }: ChildOptions,
): Parts {
  const { control: _, ...parts } = node.parent!.parts();
  const type = node.type!;
  const tasks = node.team ? { tasks: hookedTasks(tasksOn(node.team.tasks), runHooks) } : {};
  const filter = createToolFilter([known({ allow: type.tools, deny: type.disallowedTools }, names)], names);
  const narrowed = narrow(
    parts,
    {
      agent: node.ref,
      ...(type.mode ? { mode: type.mode } : {}),
      only: (entry) => filter.exclusion(policyToolOf(entry)) === undefined,
    },
    { ...(port ? { agents: port } : {}), ...tasks },
  );
  const within = effects.reduce(
    (inner, bound) => narrow(inner, { effects: bound }, { ...(port ? { agents: port } : {}), ...tasks }),
    narrowed,
  );
  const { approvals } = within.machine;
  const confirms = request.confirms ?? settings.autoConfirmDangerous ?? false;
  const changes = {
    afford: () => node.pool.take("calls"),
    ...(confirms ? { approvals: confirming(approvals) } : {}),
  };
  return {
    ...parts,
    ...within,
    machine: { ...within.machine, ...changes },
    executor: within.executor.with(changes),
    adopt,
    close: async () => {},
  };
}

/** Unknown names match no tool: they are left out, and the rest counts. */
function known(
  { allow, deny }: { allow: readonly string[] | undefined; deny: readonly string[] | undefined },
  names: ToolNames,
) {
  const real = (list: readonly string[]) =>
    list.filter((name) => names.canonical(name) !== undefined || name.startsWith("mcp__"));
  return { ...(allow ? { allow: real(allow) } : {}), ...(deny ? { deny: real(deny) } : {}), source: "agent" };
}
