import type { Registry } from "@haft/core/registry";
import type { Clock } from "@haft/core/tool";
import type { RunHooks } from "@haft/plugins/hook";
import { agentMemory } from "@haft/service/session";
import { agentServers, type OpenServers } from "../mcp/agent-servers.ts";
import { serverOf } from "../mcp/servers.ts";
import { type NoticeListener, settingNotice } from "../notice.ts";
import { openMemory } from "../session/memory.ts";
import type { Strangers } from "../session/strangers.ts";
import { sessionHooks } from "../setup/session-hooks.ts";
import type { Setup } from "../setup/setup.ts";
import { type AgentEngine, createAgentEngine } from "./engine.ts";
import { createPlaces } from "./place/isolation.ts";
import type { AgentDefinition } from "./type/agent-type.ts";
import { loadAgentTypes } from "./type/load-types.ts";

export interface OpenAgentsOptions {
  readonly setup: Setup;
  /** The main agent's model. */
  readonly model: string | undefined;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly runHooks: RunHooks;
  readonly strangers: Strangers;
  readonly onNotice: NoticeListener;
  /** `undefined`: the session starts no servers. */
  readonly openServers: OpenServers | undefined;
}

/** The agents of a session. Project definitions count once the folder is trusted. */
export function openAgents({ setup, onNotice, ...more }: OpenAgentsOptions): AgentEngine {
  const { model, registry, clock, runHooks, strangers, openServers } = more;
  const { options, settings, session, home, cwd, root, state, trusted, names, plugins } = setup;
  const { models = {}, prices = {}, ...limits } = settings.toolAgent ?? {};
  let types: ReadonlyMap<string, AgentDefinition> | undefined;
  return createAgentEngine({
    // Read on first use: most sessions start no agent.
    types() {
      types ??= loadAgentTypes({
        ...{ home, names },
        more: plugins.flatMap(({ contents }) => contents.agentFolders),
        ...(options.settings === false ? { home: "" } : {}),
        root: trusted && options.settings !== false ? root : undefined,
        onProblem: (message) => onNotice({ code: "agent_file", severity: "warning", source: "agents", message }),
      });
      return types;
    },
    async openModel(name) {
      if (options.openModel) return options.openModel(name);
      const { openModel } = await import("../../agent/index.ts");
      return openModel(name, options.env ?? process.env);
    },
    own: {
      openHooks: (own, agent, { policy }) => {
        const hooks = sessionHooks(
          { ...setup, settings: { ...settings, hooks: own } },
          registry,
          policy,
          onNotice,
          undefined,
          agent,
        );
        for (const problem of hooks.problems) onNotice(settingNotice(problem));
        return hooks;
      },
      openServers({ name: agent, servers = {}, isProjects }, parts, signal) {
        const known = new Set(parts.mcp.list().map(({ server }) => server.name));
        const wanted = Object.entries(servers).flatMap(([name, server]) => {
          if (!known.has(name)) return { ...serverOf(name, server, isProjects ? "project" : "user", root), agent };
          // Its rules and grants were not meant for another program.
          const message = `The MCP server "${name}" of the agent ${agent} does not start: the session's server of that name counts.`;
          onNotice({ code: "agent_file", severity: "warning", source: "agents", message });
          return [];
        });
        return openServers && wanted.length > 0 ? agentServers(parts, wanted, openServers, signal) : undefined;
      },
      openMemory: ({ name, memory }) =>
        state &&
        openMemory({
          pages: [agentMemory(state, root ?? cwd, memory === "user" ? "user" : "project", name)],
          ...{ session: session.id, strangers, isAttended: options.ask !== undefined },
        }),
    },
    openPlace: createPlaces({ setup, settings: limits, onNotice }),
    budget: options.budget ?? {},
    ...{ names, clock, runHooks, model, settings: limits, prices, models, dir: session.dir },
  });
}
