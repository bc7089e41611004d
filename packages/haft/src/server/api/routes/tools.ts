import { z } from "zod";
import { toolInfos } from "../../../draw/tool-info.ts";
import type { ServerParts } from "../../live/parts.ts";
import { type Route, route } from "../../route/route.ts";
import { json, sessionId } from "../shapes.ts";

const ofSession = { params: sessionId } as const;

/** The tools, MCP servers, agents and jobs of a session. */
export const toolRoutes = ({ rooms }: ServerParts): Route[] => [
  route({
    method: "get",
    path: "/api/sessions/{id}/tools",
    summary: "Every known tool: origin, effects, schema, cost, and whether it is offered",
    ...ofSession,
    answer: z.object({ tools: z.array(json) }),
    run: async ({ params }) => ({ tools: await toolInfos((await rooms.enter(params.id)).agent.haft) }),
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/mcp",
    summary: "The MCP servers with their state",
    ...ofSession,
    answer: z.object({ servers: z.array(json) }),
    async run({ params }) {
      const { mcp } = (await rooms.enter(params.id)).agent.haft;
      // The configuration of a server may hold secrets, so only its name leaves.
      const servers = mcp.list().map(({ server: { name }, ...status }) => ({ name, ...status, logs: mcp.logs(name) }));
      return { servers };
    },
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/agents",
    summary: "The agents that the session has started, with their budgets",
    ...ofSession,
    answer: z.object({ types: z.array(json), agents: z.array(json) }),
    async run({ params }) {
      const { agents } = (await rooms.enter(params.id)).agent.haft;
      return { types: agents?.types() ?? [], agents: agents?.list() ?? [] };
    },
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/jobs",
    summary: "The background jobs of the session",
    ...ofSession,
    answer: z.object({ jobs: z.array(json) }),
    run: async ({ params }) => ({ jobs: (await rooms.enter(params.id)).agent.haft.jobs.list() }),
  }),
];
