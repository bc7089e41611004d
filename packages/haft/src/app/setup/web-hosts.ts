import type { Setup } from "./setup.ts";

/** Hosts of private networks that the user's settings open: those listed, and their own channels. */
export function privateHostsOf({ settings }: Pick<Setup, "settings">): readonly string[] {
  const channels = Object.values(settings.channels ?? {}).flatMap(({ url = "" }) => URL.parse(url)?.host ?? []);
  return [...(settings.web?.privateHosts ?? []), ...channels];
}

/** The variables of the host that opened the session. */
export const envOf = ({ env }: Setup["options"]): NodeJS.ProcessEnv => env ?? process.env;
