import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ServerParts } from "../../live/parts.ts";
import { unknownThing } from "../../route/problem.ts";
import { type Route, route } from "../../route/route.ts";
import { json, sessionId } from "../shapes.ts";

/** Single calls through the whole pipeline of a session: same policy, same approvals, same record. */
export const callRoutes = ({ rooms }: ServerParts): Route[] => [
  route({
    method: "post",
    path: "/api/sessions/{id}/calls",
    summary: "Run one call. The same id with the same input returns the stored result",
    params: sessionId,
    body: z.object({ toolId: z.string().min(1), arguments: json.default({}), messageId: z.string().optional() }),
    answer: z.object({ success: z.boolean(), result: json.optional(), error: json.optional() }),
    async run({ params, body }) {
      const { agent } = await rooms.enter(params.id);
      const result = await agent.haft.call(body.toolId, body.arguments, {
        id: body.messageId ?? `rpc-${randomUUID()}`,
        isProgram: true,
      });
      const { error, content, output, display, labels } = result;
      return error
        ? { success: false, error }
        : {
            success: true,
            result: {
              content,
              ...(output === undefined ? {} : { output }),
              ...(display ? { display } : {}),
              ...(labels ? { labels } : {}),
            },
          };
    },
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/calls/{call}",
    summary: "One recorded call: input, effects, decision, result",
    params: sessionId.extend({ call: z.string() }),
    answer: json,
    run({ params }) {
      const found = rooms.record(params.id).findLast(({ t, id }) => t === "call" && id === params.call);
      if (!found) throw unknownThing(`Session ${params.id} has no call "${params.call}".`);
      return found;
    },
  }),
];
