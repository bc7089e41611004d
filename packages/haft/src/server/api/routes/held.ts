import { HELD_WHY } from "@haft/journal";
import { z } from "zod";
import { withJournal } from "../../live/journal.ts";
import type { ServerParts } from "../../live/parts.ts";
import { type Route, route } from "../../route/route.ts";
import { json } from "../shapes.ts";

/** Most held changes of an answer. */
const MOST = 30;
const params = z.object({ id: z.string() });

/** The changes that dry runs and cut-off commands have left aside. */
export const heldRoutes = (parts: ServerParts): Route[] => [
  route({
    method: "get",
    path: "/api/held",
    summary: "Held changes with their diffs, the latest first",
    query: z.object({ session: z.string().optional() }),
    answer: z.object({ held: z.array(json) }),
    run: ({ query }) =>
      withJournal(parts, async (journal) => {
        const all = await journal.held();
        const own = all.filter(({ session }) => query.session === undefined || session === query.session);
        const shown = await Promise.all(own.slice(-MOST).map(({ id }) => journal.showHeld(id)));
        const held = shown.map(({ held: { id, session, call, tool, at, reason }, previews, conflicts, manifest }) => ({
          ...{ id, session, call, tool, at, why: HELD_WHY[reason], previews, conflicts, digest: manifest.digest },
        }));
        return { held: held.reverse() };
      }),
  }),
  route({
    method: "post",
    path: "/api/held/{id}/commit",
    summary: "Apply held changes, if they are still those of `digest`",
    params,
    body: z.object({ digest: z.string(), force: z.boolean().optional() }),
    answer: z.object({ changes: z.array(json) }),
    run: ({ params: { id }, body: { digest, force = false } }) =>
      withJournal(parts, async (journal) => {
        const { changed } = await journal.commitHeld(id, { digest, force });
        return { changes: changed.map(({ path }) => ({ path })) };
      }),
  }),
  route({
    method: "post",
    path: "/api/held/{id}/discard",
    summary: "Discard held changes",
    params,
    answer: z.object({ discarded: z.boolean() }),
    run: ({ params: { id } }) =>
      withJournal(parts, async (journal) => {
        await journal.discardHeld(id);
        return { discarded: true };
      }),
  }),
];
