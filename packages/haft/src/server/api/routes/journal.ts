import type { UndoOptions } from "@haft/journal";
import { z } from "zod";
import { withJournal } from "../../live/journal.ts";
import type { ServerParts } from "../../live/parts.ts";
import { type Route, route } from "../../route/route.ts";
import { json, limit } from "../shapes.ts";

const scope = z.object({
  session: z.string().optional(),
  call: z.string().optional(),
  turn: z.number().int().optional(),
  to: z.string().optional(),
  all: z.boolean().optional(),
  force: z.boolean().optional(),
  preview: z.boolean().optional(),
});

/** The file changes of calls, undo and redo. */
export const journalRoutes = (parts: ServerParts): Route[] => [
  route({
    method: "get",
    path: "/api/journal",
    summary: "Changes of calls, the latest first",
    query: z.object({ session: z.string().optional(), limit, before: z.string().optional() }),
    answer: z.object({ entries: z.array(json), held: z.array(json) }),
    run: ({ query }) =>
      withJournal(parts, (journal) => {
        const { entries, held } = journal.history();
        const own = entries.filter(
          ({ state, session }) => state === "done" && (query.session === undefined || session === query.session),
        );
        const end = query.before === undefined ? own.length : own.findIndex(({ id }) => id === query.before);
        const shown = own.slice(Math.max(0, end - query.limit), Math.max(0, end)).reverse();
        return {
          entries: shown.map(({ changes, ...entry }) => ({ ...entry, paths: changes.map(({ path }) => path) })),
          held,
        };
      }),
  }),
  route({
    method: "get",
    path: "/api/journal/{session}/{call}",
    summary: "The changes of one call as diffs",
    params: z.object({ session: z.string(), call: z.string() }),
    answer: z.object({ changes: z.array(json) }),
    run: ({ params }) =>
      withJournal(parts, async (journal) => {
        const made = await journal.changesOf(params.session, params.call);
        return {
          changes: made.flatMap(({ entry, previews }) =>
            previews.map((preview) => ({ ...preview, kind: entry.kind, undone: entry.undoneBy !== undefined })),
          ),
        };
      }),
  }),
  ...(["undo", "redo"] as const).map((kind) =>
    route({
      method: "post",
      path: `/api/journal/${kind}`,
      summary:
        kind === "undo" ? "Undo a call, a turn, or everything after a call (`to`)" : "Do again what was undone last",
      body: scope,
      answer: z.object({
        calls: z.array(json),
        changes: z.array(json),
        conflicts: z.array(json),
        losses: z.array(json),
      }),
      run: ({ body: { preview, ...given } }) =>
        withJournal(parts, async (journal) => {
          const options = Object.fromEntries(
            Object.entries(given).filter(([, value]) => value !== undefined),
          ) as UndoOptions;
          if (!preview) {
            const { calls, changed, kept, losses } = await journal[kind](options);
            return { calls, changes: changed.map(({ path }) => ({ path })), conflicts: kept, losses };
          }
          const plan = await (kind === "undo" ? journal.planUndo(options) : journal.planRedo(options));
          const changes = await journal.preview(plan);
          return { calls: [], changes, conflicts: plan.conflicts, losses: plan.losses };
        }),
    }),
  ),
];
