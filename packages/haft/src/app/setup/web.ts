import type { Policy } from "@haft/core/policy";
import type { Net, Ports } from "@haft/core/tool";
import { createDocuments, createSearch } from "@haft/tools";
import type { Setup } from "./setup.ts";
import { smallModel } from "./small-model.ts";

/** The ports of the web tools. */
export interface Web {
  readonly ports: Pick<Ports, "documents" | "model" | "search" | "browser">;
  close(): Promise<void>;
}

/** The hosts of private networks that the user's settings open: those that are named as such, and their own search server. */
export function privateHostsOf({ settings, options }: Setup): readonly string[] {
  const { web = {} } = settings;
  const search = URL.parse(web.search?.url ?? envOf(options).SEARXNG_URL ?? "");
  return [...(web.privateHosts ?? []), ...(search ? [search.host] : [])];
}

/** Opens what the web tools need. Nothing starts before it is used. */
export function openWeb(setup: Setup, net: Net, _policy: () => Policy): Web {
  const { options, settings } = setup;
  const { model, search: wanted } = settings.web ?? {};
  const env = envOf(options);
  const documents = createDocuments();
  const search = createSearch({ ...wanted, env, net });
  return {
    ports: {
      documents,
      ...(model === undefined ? {} : { model: smallModel(model, env) }),
      ...(search ? { search } : {}),
    },
    close: () => documents.close(),
  };
}

const envOf = ({ env }: Setup["options"]): NodeJS.ProcessEnv => env ?? process.env;
