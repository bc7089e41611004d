import { expressionProblem } from "@haft/service/schedules";
import { z } from "zod";
import type { ServerParts } from "../../live/parts.ts";
import type { LiveSchedules } from "../../live/schedules.ts";
import { Problem } from "../../route/problem.ts";
import { type Route, route } from "../../route/route.ts";
import { json, nothing } from "../shapes.ts";

const one = z.object({ id: z.string().min(1).max(64) });
/** Most firings of a schedule in an answer. */
const MOST_FIRINGS = 20;

/** The schedules of the user in every folder: look, add, pause, run, remove. */
export const scheduleRoutes = (parts: ServerParts): Route[] => [
  route({
    method: "get",
    path: "/api/schedules",
    summary: "The schedules of the user, each with its grant and its latest firings",
    answer: z.object({ schedules: z.array(json) }),
    run() {
      const { store } = hostOf(parts);
      const schedules = store
        .list()
        .map(({ options: _, ...schedule }) => ({ ...schedule, firings: store.firings(schedule.id, MOST_FIRINGS) }));
      return { schedules };
    },
  }),
  route({
    method: "post",
    path: "/api/schedules",
    summary: "Rehearse a schedule in a session of its own; its question then waits among the approvals",
    body: z.object({
      expression: z.string().min(1),
      prompt: z.string().min(1),
      name: z.string().optional(),
      zone: z.string().optional(),
    }),
    answer: z.object({ session: z.string(), state: z.enum(["asked", "added", "refused"]), why: z.string().optional() }),
    async run({ body }) {
      const { inboxNews } = parts;
      hostOf(parts);
      const problem = expressionProblem(body.expression, body.zone);
      if (problem !== undefined) throw new Problem(400, "invalid_input", problem);
      const { id, agent } = await parts.rooms.start({});
      const asked = Promise.withResolvers<{ readonly state: "asked" }>();
      const silence = agent.on(({ type }) => type === "tool:permission:request" && asked.resolve({ state: "asked" }));
      const added = agent.haft.call("cron", { action: "add", ...body }, { isProgram: true }).then(({ error }) => {
        inboxNews.tell({ type: "schedules" });
        return error ? { state: "refused" as const, why: error.message } : { state: "added" as const };
      });
      void added.finally(() => {
        silence();
        return parts.rooms.leave(id);
      });
      return { session: id, ...(await Promise.race([asked.promise, added])) };
    },
  }),
  ...(["pause", "resume", "run", "remove"] as const).map((action) =>
    route({
      method: "post",
      path: `/api/schedules/{id}/${action}`,
      summary: {
        pause: "Pause a schedule",
        resume: "Plan a paused schedule again",
        run: "Let a schedule fire at the next moment",
        remove: "Remove a schedule with its grant",
      }[action],
      params: one,
      answer: nothing,
      run({ params: { id } }) {
        const { store, tick } = hostOf(parts);
        if (action === "remove") store.remove(id);
        else if (action === "run") store.runAt(id, Date.now());
        else store.setEnabled(id, action === "resume", Date.now());
        if (action === "run") tick();
        parts.inboxNews.tell({ type: "schedules" });
        return {};
      },
    }),
  ),
];

function hostOf({ schedules }: ServerParts): LiveSchedules {
  if (schedules) return schedules;
  throw new Problem(409, "tool_unavailable", "There are no schedules, because nothing is stored on disk.");
}
