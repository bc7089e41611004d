import type { ChannelSettings as Written } from "@haft/core/policy";
import { fail } from "@haft/core/tool";

export type ChannelSettings = Written;

/** Environment variables that hold keys. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The key of a channel: from the settings, else from the variable that they name. */
export function tokenOf(name: string, { token, tokenEnv }: ChannelSettings, env: Environment): string | undefined {
  if (token !== undefined || tokenEnv === undefined) return token;
  return (
    env[tokenEnv] ??
    fail("tool_unavailable", `The key of channel "${name}" is missing.`, `Set ${tokenEnv} in the environment.`)
  );
}
