import { defineTool, state, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsTeams, teamName } from "../support/session/teams.ts";

const input = {
  type: "object",
  properties: { team_name: teamName },
  required: ["team_name"],
  additionalProperties: false,
} as const;

/** TeamCreate: creates a team of agents with its own task list. */
export const teamCreate = defineTool({
  name: "TeamCreate",
  title: "Create team",
  searchHint: "team swarm create members shared tasks",
  description:
    "Makes a team with a list of tasks of its own. Members are agents that are started with its team_name and a name; they share the tasks and write to each other and to you.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needsTeams,
  effects: () => [state("teams")],
  describe: ({ team_name: name }) => ({
    title: name ? `Create team ${name}` : "Create team",
    activity: "Making a team",
  }),
  async run({ team_name: name }, { ports }): Promise<{ readonly team: string }> {
    await portOf(ports, "agents").createTeam(name);
    return { team: name };
  },
  toModel: ({ team }) => [
    text(`Created the team ${team}. Start its members with Agent: team_name "${team}" and a name for each.`),
  ],
});
