import type { ToolAgentSettings } from "@haft/core/policy";
import { fail } from "@haft/core/tool";
import type { AgentDefinition } from "./type/agent-type.ts";

/** What the settings say of models for agents. */
export interface ModelSettings extends Pick<ToolAgentSettings, "model" | "providerId"> {
  /** Other names of models. */
  readonly models: Readonly<Record<string, string>>;
}

/**
 * The model of an agent, as `provider/name`: the one that was wished for, else that of its type, else that of the settings, else
 * its parent's. The one who wishes is a model, so another provider has to be named by the settings.
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
  const own =
    type.model && type.model !== "inherit"
      ? (models[type.model] ?? (type.model.includes("/") ? type.model : undefined))
      : undefined;
  const base =
    own ?? inherited ?? fail("tool_unavailable", "No model is configured for agents.", "Set model in the settings.");
  if (wanted === undefined || wanted === "inherit") return base;
  const named = models[wanted] ?? (wanted.includes("/") ? wanted : undefined);
  // A word such as "haiku" that nobody has given a meaning is a wish: the work is done all the same.
  if (named === undefined) return base;
  if (models[wanted] === undefined && providerOf(named) !== providerOf(parent))
    fail(
      "invalid_input",
      `The model ${wanted} is of another provider.`,
      `Use one of ${providerOf(parent)}, or leave model out.`,
    );
  return named;
}

const providerOf = (model = ""): string => model.slice(0, Math.max(0, model.indexOf("/")));
