import type { Clock } from "@haft/core/tool";
import type { RunHooks } from "@haft/plugins/hook";
import type { NoticeListener } from "../notice.ts";
import type { Setup } from "../setup/setup.ts";
import { type AgentEngine, createAgentEngine } from "./engine.ts";
import { createPlaces } from "./place/isolation.ts";
import type { AgentDefinition } from "./type/agent-type.ts";
import { loadAgentTypes } from "./type/load-types.ts";

/** The agents of a session. Project definitions count once the folder is trusted. */
export function openAgents(
  setup: Setup,
  model: string | undefined,
  clock: Clock,
  runHooks: RunHooks,
  onNotice: NoticeListener,
): AgentEngine {
  const { options, settings, session, home, root, trusted, names, plugins } = setup;
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
    openPlace: createPlaces({ setup, settings: limits, onNotice }),
    budget: options.budget ?? {},
    ...{ names, clock, runHooks, model, settings: limits, prices, models, dir: session.dir },
  });
}
