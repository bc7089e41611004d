import type { Net, WebSearchPort } from "@haft/core/tool";
import { createNet } from "@haft/host";
import { createSearch, type FoundSearch, findSearch } from "@haft/service/web";
import { DEFAULT_MODELS, defaultModel } from "../../agent/provider/default-model.ts";
import type { Setup } from "../setup/setup.ts";
import { envOf } from "../setup/web-hosts.ts";

interface OpenSearch {
  readonly port: WebSearchPort;
  close(): Promise<void>;
}

/** The search provider of a session, or why it has none. */
export function searchOf({ settings, options }: Pick<Setup, "settings" | "options">) {
  const env = envOf(options);
  const model =
    options.model ?? (env.HAFT_MODEL || settings.model) ?? options.fallbackModel ?? defaultModel(env)?.model;
  return findSearch({ ...settings.web?.search, env, model, defaultModels: DEFAULT_MODELS.map((one) => one.model) });
}

/** The search of a session. The user's own server may be in a private network, and is open to no other tool. */
export function openSearch(found: FoundSearch, hostNet: Net | undefined): OpenSearch {
  const net = createNet({ privateHosts: [new URL(found.address).host] });
  return { port: createSearch(found, { net: hostNet ?? net }), close: () => net.close() };
}
