import { z } from "zod";
import type { ServerParts } from "../../live/parts.ts";
import { unknownThing } from "../../route/problem.ts";
import { type Route, route } from "../../route/route.ts";
import { eventStream } from "../event-stream.ts";
import { json, limit, mode, nothing, sessionId } from "../shapes.ts";
import { hasQueue } from "./workers.ts";

const image = z.object({
  type: z.literal("image"),
  data: z.string().max(8_000_000),
  mediaType: z.string().regex(/^image\//),
});

const sessionEntry = z.object({
  id: z.string(),
  isOpen: z.boolean(),
  title: z.string(),
  changedAt: z.string(),
  status: z.enum(["idle", "working", "closed"]),
  approvals: z.number(),
  model: z.string().optional(),
  mode: z.string().optional(),
});

/** Sessions: list, start, watch, drive. */
export const sessionRoutes = (parts: ServerParts): Route[] => [
  ...reading(parts),
  ...prompting(parts),
  ...steering(parts),
];

const reading = ({ rooms, version, base, unreadMs }: ServerParts): Route[] => [
  route({
    method: "get",
    path: "/api/about",
    summary: "The server: its folder and version",
    answer: z.object({ cwd: z.string(), version: z.string(), hasQueue: z.boolean() }),
    run: () => ({ cwd: rooms.cwd, version, hasQueue: hasQueue(base) }),
  }),
  route({
    method: "get",
    path: "/api/sessions",
    summary: "The sessions of the folder, the latest first",
    query: z.object({ limit, after: z.string().optional() }),
    answer: z.object({ sessions: z.array(sessionEntry), next: z.string().optional() }),
    run({ query }) {
      const all = rooms.list();
      const from = query.after === undefined ? 0 : all.findIndex(({ id }) => id === query.after) + 1;
      const sessions = all.slice(from, from + query.limit);
      return { sessions, ...(from + query.limit < all.length ? { next: sessions.at(-1)?.id } : {}) };
    },
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/view",
    summary: "The latest rows of a session and its state; continue with the events after `seq`",
    params: sessionId,
    query: z.object({ rows: limit }),
    answer: z.object({ seq: z.number(), view: json, hasMore: z.boolean() }),
    run: async ({ params, query }) => (await rooms.enter(params.id)).window(query.rows),
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/rows",
    summary: "Rows before another one",
    params: sessionId,
    query: z.object({ before: z.string(), limit }),
    answer: z.object({ rows: z.array(json) }),
    async run({ params, query }) {
      const rows = (await rooms.enter(params.id)).rowsBefore(query.before, query.limit);
      if (!rows) throw unknownThing(`There is no row "${query.before}".`);
      return { rows };
    },
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/events",
    summary: "Events after a number: a window of them, or with Accept: text/event-stream a live stream",
    params: sessionId,
    query: z.object({ after: z.coerce.number().int().min(0).default(0), limit, stream: z.stringbool().default(false) }),
    answer: z.object({ events: z.array(json), seq: z.number(), isComplete: z.boolean() }),
    async run({ params, query, signal }) {
      const session = await rooms.enter(params.id);
      if (query.stream) return eventStream(session, query.after, signal, unreadMs);
      const events = session.after(query.after) ?? [];
      const shown = events.slice(0, query.limit).map(({ seq, text }) => ({ seq, event: JSON.parse(text) }));
      return { events: shown, seq: session.seq, isComplete: session.after(query.after) !== undefined };
    },
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/commands",
    summary: "The slash commands of a session",
    params: sessionId,
    answer: z.object({ commands: z.array(json) }),
    async run({ params }) {
      const { agent } = await rooms.enter(params.id);
      return { commands: agent.commands().map(({ run: _, ...command }) => command) };
    },
  }),
];

const prompting = ({ rooms }: ServerParts): Route[] => [
  route({
    method: "post",
    path: "/api/sessions",
    summary: "Start a session; with `resume` continue one, with `fork` copy it, with `forkAt` up to a call",
    body: z.object({
      model: z.string().optional(),
      mode: mode.optional(),
      resume: z.string().optional(),
      fork: z.boolean().optional(),
      forkAt: z.string().optional(),
      prompt: z.string().optional(),
    }),
    answer: sessionEntry,
    async run({ body: { prompt, model, mode: wanted, resume, fork, forkAt }, client }) {
      const { id, agent } =
        resume !== undefined && !fork
          ? await rooms.enter(resume)
          : await rooms.start({
              ...(model === undefined ? {} : { model }),
              ...(wanted === undefined ? {} : { mode: wanted }),
              ...(resume === undefined ? {} : { resume, fork: true, ...(forkAt === undefined ? {} : { forkAt }) }),
            });
      if (prompt !== undefined) agent.prompt(prompt, { by: client }).catch(() => {});
      return rooms.list().find((entry) => entry.id === id);
    },
  }),
  route({
    method: "post",
    path: "/api/sessions/{id}/prompt",
    summary: "Send a prompt. While the agent works it is queued. `wait`: answer when the run ends",
    params: sessionId,
    body: z.object({
      text: z.string().min(1),
      images: z.array(image).max(20).optional(),
      wait: z.boolean().optional(),
    }),
    answer: z.object({ reason: z.string().optional(), text: z.string().optional(), queued: z.boolean().optional() }),
    async run({ params, body: { text, images, wait }, client }) {
      const { agent } = await rooms.enter(params.id);
      const queued = agent.status === "working";
      const end = agent.prompt(text, { by: client, ...(images ? { images } : {}) });
      if (wait) {
        const { reason, why, text: said, turns, usage } = await end;
        return { reason, why, text: said, turns, usage };
      }
      // A failure also arrives as an event, so nothing is lost here.
      await Promise.race([end, new Promise((resolve) => setImmediate(resolve))]);
      end.catch(() => {});
      return { queued };
    },
  }),
];

const steering = ({ rooms }: ServerParts): Route[] => [
  ...(["interrupt", "clear", "close"] as const).map((verb) =>
    route({
      method: "post",
      path: `/api/sessions/{id}/${verb}`,
      summary: {
        interrupt: "Stop the work",
        clear: "Begin a new conversation",
        close: "Close the session; its record stays",
      }[verb],
      params: sessionId,
      answer: nothing,
      async run({ params }) {
        if (verb === "close") return rooms.leave(params.id);
        const { agent } = await rooms.enter(params.id);
        agent[verb]();
        return {};
      },
    }),
  ),
  route({
    method: "post",
    path: "/api/sessions/{id}/mode",
    summary: "Change the permission mode",
    params: sessionId,
    body: z.object({ mode }),
    answer: z.object({ mode: z.string() }),
    async run({ params, body }) {
      const { agent } = await rooms.enter(params.id);
      await agent.setMode(body.mode);
      return { mode: agent.haft.mode };
    },
  }),
  route({
    method: "post",
    path: "/api/sessions/{id}/model",
    summary: "Change the model",
    params: sessionId,
    body: z.object({ model: z.string().min(1) }),
    answer: z.object({ model: z.string() }),
    async run({ params, body }) {
      const { agent } = await rooms.enter(params.id);
      await agent.setModel(body.model);
      return { model: agent.model?.name };
    },
  }),
  route({
    method: "post",
    path: "/api/sessions/{id}/command",
    summary: "Run a slash command, such as compact",
    params: sessionId,
    body: z.object({ name: z.string().min(1), arguments: z.string().default("") }),
    answer: z.object({ text: z.string().optional() }),
    async run({ params, body, client }) {
      const { agent } = await rooms.enter(params.id);
      const command = agent.commands().find(({ name }) => name === body.name);
      if (!command) throw unknownThing(`There is no command /${body.name}.`);
      const outcome = await command.run(body.arguments, { by: client });
      return "text" in outcome ? { text: outcome.text } : { text: outcome.end.text };
    },
  }),
  route({
    method: "post",
    path: "/api/sessions/{id}/unqueue",
    summary: "Take a waiting prompt back",
    params: sessionId,
    body: z.object({ prompt: z.string() }),
    answer: json,
    run: async ({ params, body }) => (await rooms.enter(params.id)).agent.unqueue(body.prompt) ?? {},
  }),
];
