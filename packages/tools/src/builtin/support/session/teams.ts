import type { Absent, OfferContext } from "@haft/core/tool";

export const teamName = {
  type: "string",
  pattern: "^[A-Za-z0-9][\\w.-]{0,63}$",
  description: "The name of the team.",
} as const;

/** Teams are off unless a setting enables them. */
export function needsTeams({ ports, gates }: OfferContext): true | Absent {
  if (!gates?.has("agentSwarms")) return { absent: "teams are off (gates.agentSwarms)" };
  return ports.has("agents") || { absent: "no agents can be started here" };
}
