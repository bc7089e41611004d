import type { ToolAgentSettings } from "@haft/core/policy";
import { fail } from "@haft/core/tool";
import type { AgentDefinition } from "./type/agent-type.ts";

/** The settings for the models of agents. */
export interface ModelSettings extends Pick<ToolAgentSettings, "model" | "providerId"> {
  /** Aliases of models. */
  readonly models: Readonly<Record<string, string>>;
}

/**
 * The model of an agent, as `provider/name`: the requested one, else its type's, else that of the settings, else its
 * parent's. A model makes the request, so only the settings may name another provider.
 */
export function modelChoice(
  { models, ...settings }: ModelSettings,
  parent: string | undefined,
  type: AgentDefinition,
  wanted: string | undefined,
): string {
  const inherited = settings.model
    ? settings.model.includes("/")
      ? settings.model
      : `${settings.providerId ?? providerOf(parent)}/${settings.model}`
    : parent;
  const base =
    modelOf(type, models) ??
    inherited ??
    fail("tool_unavailable", "No model is configured for agents.", "Set model in the settings.");
  if (wanted === undefined || wanted === "inherit") return base;
  const named = models[wanted] ?? (wanted.includes("/") ? wanted : undefined);
  // An undefined alias such as "haiku" is only a wish: the work is done with the base model.
  if (named === undefined) return base;
  if (models[wanted] === undefined && providerOf(named) !== providerOf(parent))
    fail(
      "invalid_input",
      `The model ${wanted} is from another provider.`,
      `Use one of ${providerOf(parent)}, or leave model out.`,
    );
  return named;
}

/** The model that a type names, if the settings know it or it names its provider. */
export function modelOf({ model }: AgentDefinition, models: ModelSettings["models"]): string | undefined {
  if (!model || model === "inherit") return undefined;
  return models[model] ?? (model.includes("/") ? model : undefined);
}

const providerOf = (model = ""): string => model.slice(0, Math.max(0, model.indexOf("/")));
