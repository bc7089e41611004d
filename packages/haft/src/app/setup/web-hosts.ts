import type { Setup } from "./setup.ts";

/** Hosts of private networks that the user's settings open: those listed, their own search server and channels. */
export function privateHostsOf({ settings, options }: Setup): readonly string[] {
  const { web = {} } = settings;
  const search = URL.parse(web.search?.url ?? envOf(options).SEARXNG_URL ?? "");
  const channels = Object.values(settings.channels ?? {}).flatMap(({ url = "" }) => URL.parse(url)?.host ?? []);
  return [...(web.privateHosts ?? []), ...(search ? [search.host] : []), ...channels];
}

/** The variables of the host that opened the session. */
export const envOf = ({ env }: Setup["options"]): NodeJS.ProcessEnv => env ?? process.env;
