import { join } from "node:path";
import { openGates, type Policy } from "@haft/core/policy";
import { connect, type Net, type Ports } from "@haft/core/tool";
import { type Reach, reachOf } from "@haft/host";
import {
  createBrowser,
  createDocuments,
  createSearch,
  findBrowser,
  openLogins,
  type SessionBrowser,
} from "@haft/service";
import type { Setup } from "./setup.ts";
import { smallModel } from "./small-model.ts";

/** The ports of the web tools. */
export interface Web {
  readonly ports: Pick<Ports, "documents" | "model" | "search" | "browser">;
  close(): Promise<void>;
}

/** Hosts of private networks that the user's settings open: those listed, their own search server and channels. */
export function privateHostsOf({ settings, options }: Setup): readonly string[] {
  const { web = {} } = settings;
  const search = URL.parse(web.search?.url ?? envOf(options).SEARXNG_URL ?? "");
  const channels = Object.values(settings.channels ?? {}).flatMap(({ url = "" }) => URL.parse(url)?.host ?? []);
  return [...(web.privateHosts ?? []), ...(search ? [search.host] : []), ...channels];
}

/** Opens the parts that the web tools need. Nothing starts before its first use. */
export function openWeb(setup: Setup, net: Net, policy: () => Policy): Web {
  const { model, search: wanted } = setup.settings.web ?? {};
  const env = envOf(setup.options);
  const documents = createDocuments();
  const search = createSearch({ ...wanted, env, net });
  const browser = browserOf(setup, policy);
  return {
    ports: {
      documents,
      ...(model === undefined ? {} : { model: smallModel(model, env) }),
      ...(search ? { search } : {}),
      ...(browser ? { browser } : {}),
    },
    async close() {
      await Promise.all([documents.close(), browser?.close()]);
    },
  };
}

/** The browser of the session, if the machine has one and the gate is open. */
function browserOf(setup: Setup, policy: () => Policy): SessionBrowser | undefined {
  const { settings, options, state } = setup;
  const { executable, logins = [] } = settings.web?.browser ?? {};
  if (!openGates(settings.gates).has("WEB_BROWSER_TOOL") || options.lookOnly) return undefined;
  const env = envOf(setup.options);
  const found = findBrowser(executable, env);
  if ("absent" in found) return undefined;
  return createBrowser({
    executable: found.executable,
    reach: unlessDenied(reachOf(["*", ...privateHostsOf(setup)]), policy),
    env,
    ...(state && logins.length > 0 ? { logins: openLogins(join(state.root, "browser-logins.json"), logins) } : {}),
  });
}

/** Applies deny rules for hosts to the requests of pages, too. */
const unlessDenied = (reach: Reach, policy: () => Policy): Reach => ({
  async resolve(host, port) {
    const effects = [{ ...connect(host), port }];
    const { trace } = policy().decide({ tool: { name: "WebBrowser", origin: "builtin" }, input: {}, effects });
    const isDenied = trace.some(({ step, outcome }) => step === "deny" && outcome === "deny");
    return isDenied ? { refused: `a rule denies ${host}:${port}.` } : reach.resolve(host, port);
  },
});

const envOf = ({ env }: Setup["options"]): NodeJS.ProcessEnv => env ?? process.env;
