import type { Absent, OfferContext } from "@haft/core/tool";

export const teamName = {
  type: "string",
  pattern: "^[A-Za-z0-9][\\w.-]{0,63}$",
  description: "The name of the team.",
} as const;

/** Teams need agents. The gate agentSwarms turns them on. */
export function needsTeams({ ports }: OfferContext): true | Absent {
  return ports.has("agents") || { absent: "no agents can be started" };
}
