import { findSearch } from "@haft/service";
import { DEFAULT_MODELS, defaultModel } from "../../agent/provider/default-model.ts";
import type { Setup } from "./setup.ts";

type Chosen = Pick<Setup, "settings" | "options">;

/** Hosts of private networks that the user's settings open: those listed, their own search server and channels. */
export function privateHostsOf({ settings, options }: Chosen): readonly string[] {
  const { web = {} } = settings;
  const search = searchOf({ settings, options });
  const channels = Object.values(settings.channels ?? {}).flatMap(({ url = "" }) => URL.parse(url)?.host ?? []);
  return [...(web.privateHosts ?? []), ...("address" in search ? [new URL(search.address).host] : []), ...channels];
}

/** The search provider of a session, or why it has none. */
export function searchOf({ settings, options }: Chosen) {
  const env = envOf(options);
  const model = options.model ?? settings.model ?? options.fallbackModel ?? defaultModel(env)?.model;
  return findSearch({ ...settings.web?.search, env, model, defaultModels: DEFAULT_MODELS.map((one) => one.model) });
}

/** The variables of the host that opened the session. */
export const envOf = ({ env }: Setup["options"]): NodeJS.ProcessEnv => env ?? process.env;
