import { createNet } from "@haft/host";
import { type FoundSearch, findSearch } from "@haft/service/web";
import { DEFAULT_MODELS, defaultModel } from "../../agent/provider/default-model.ts";
import type { Setup } from "../setup/setup.ts";
import { envOf } from "../setup/web-hosts.ts";

/** The search provider of a session, or why it has none. */
export function searchOf({ settings, options }: Pick<Setup, "settings" | "options">) {
  const env = envOf(options);
  const model = options.model ?? env.HAFT_MODEL ?? settings.model ?? options.fallbackModel ?? defaultModel(env)?.model;
  return findSearch({ ...settings.web?.search, env, model, defaultModels: DEFAULT_MODELS.map((one) => one.model) });
}

/** The network of a search. The user's own server may be in a private network, and is open to no other tool. */
export const searchNet = ({ address }: FoundSearch): ReturnType<typeof createNet> =>
  createNet({ privateHosts: [new URL(address).host] });
