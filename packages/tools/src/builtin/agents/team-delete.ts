import { defineTool, state, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsTeams, teamName } from "../support/session/teams.ts";

const input = {
  type: "object",
  properties: { team_name: teamName },
  required: ["team_name"],
  additionalProperties: false,
} as const;

/** TeamDelete: disbands a team. */
export const teamDelete = defineTool({
  name: "TeamDelete",
  title: "End team",
  searchHint: "team swarm delete end disband",
  description: "Ends a team whose members have ended.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needsTeams,
  effects: () => [state("teams")],
  describe: ({ team_name: name }) => ({ title: name ? `End team ${name}` : "End team", activity: "Ending a team" }),
  async run({ team_name: name }, { ports }): Promise<{ readonly team: string }> {
    await portOf(ports, "agents").deleteTeam(name);
    return { team: name };
  },
  toModel: ({ team }) => [text(`The team ${team} has ended.`)],
});
