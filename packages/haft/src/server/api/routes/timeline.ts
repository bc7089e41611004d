import { isUtf8 } from "node:buffer";
import { homedir } from "node:os";
import type { PastState } from "@haft/journal";
import type { LogEntry } from "@haft/service";
import { z } from "zod";
import { contextByCall } from "../../../agent/index.ts";
import { replaySession } from "../../../app/settings/replay-session.ts";
import { real } from "../../../app/workspace.ts";
import { withJournal } from "../../live/journal.ts";
import type { ServerParts } from "../../live/parts.ts";
import { Problem, unknownThing } from "../../route/problem.ts";
import { type Route, route } from "../../route/route.ts";
import { json, limit, mode, rules, sessionId } from "../shapes.ts";

const MOST_BYTES = 1024 * 1024;
/** An answer that counts for later calls too. */
const remembered = z.object({ rules: z.array(z.string()), scope: z.string(), by: z.string().optional() });
const atCall = sessionId.extend({ call: z.string() });

/** Time travel: the calls of a session, and the files as they were after each of them. */
export const timelineRoutes = (parts: ServerParts): Route[] => [
  route({
    method: "get",
    path: "/api/sessions/{id}/timeline",
    summary: "The calls of a session in order, in windows",
    params: sessionId,
    query: z.object({ from: z.coerce.number().int().min(0).default(0), limit }),
    answer: z.object({ calls: z.array(json), total: z.number(), remembered: z.array(remembered) }),
    run: ({ params, query }) =>
      withJournal(parts, (journal) => {
        const made = journal.history().entries.filter(({ session }) => session === params.id);
        return timelineOf(parts, params.id, query, made);
      }),
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/calls/{call}/files",
    summary: "The files that the session changes, as they were right after a call",
    params: atCall,
    answer: z.object({ files: z.array(json) }),
    run: ({ params }) =>
      withJournal(parts, async (journal) => ({
        files: (await journal.pastStates(momentOf(parts, params))).map(({ path, image }) => ({ path, ...image })),
      })),
  }),
  route({
    method: "get",
    path: "/api/sessions/{id}/calls/{call}/file",
    summary: "The content of one of these files",
    params: atCall,
    query: z.object({ path: z.string() }),
    answer: z.object({ path: z.string(), text: z.string().optional(), why: z.string().optional() }),
    run: ({ params, query: { path } }) =>
      withJournal(parts, async (journal) => {
        const state = (await journal.pastStates(momentOf(parts, params))).find((one) => one.path === path);
        if (!state) throw unknownThing(`The session never changes ${path}.`);
        return { path, ...textOf(state, await journal.pastContent(state)) };
      }),
  }),
  route({
    method: "post",
    path: "/api/sessions/{id}/replay",
    summary: "Decide every call of a session again under other rules",
    params: sessionId,
    body: rules.extend({ mode: mode.optional() }),
    answer: z.object({ calls: z.number(), undecided: z.number(), differences: z.array(json) }),
    run({ params, body }) {
      const { state, cwd } = parts.rooms;
      if (!state) throw new Problem(409, "tool_unavailable", "No session is recorded here.");
      const home = real(parts.base.home ?? homedir());
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      return replaySession(parts.rooms.record(params.id), state, { ...given, cwd, home });
    },
  }),
];

/** A window of the calls, with what was known and allowed at each. `made`: the changes of the session. */
function timelineOf(
  parts: ServerParts,
  id: string,
  query: { readonly from: number; readonly limit: number },
  made: readonly { readonly call: string; readonly changes: readonly unknown[] }[],
) {
  const changed = new Set(made.flatMap(({ call, changes }) => (changes.length > 0 ? [call] : [])));
  const record = parts.rooms.record(id);
  const calls = record.filter(({ t }) => t === "call");
  const { remembered, countAt } = grantsIn(record);
  const context = contextOf(parts, id);
  const points = calls.slice(query.from, query.from + query.limit).map((entry) => ({
    ...pointOf(entry, changed),
    grants: countAt.get(entry) ?? 0,
    context: context.get(String(entry.id)),
  }));
  return { total: calls.length, calls: points, remembered };
}

/** A call as a point of the timeline. */
function pointOf(entry: LogEntry, changed: ReadonlySet<unknown>): object {
  const { id, tool, turn, agent, kind, status, startedAt, durationMs, decision, reason, rule, approval, effects } =
    entry;
  const { title } = (entry.result ?? {}) as { readonly title?: string };
  return {
    ...{ id, tool, turn, agent, kind, status, startedAt, durationMs, decision, reason, rule, approval, effects, title },
    changed: changed.has(id),
  };
}

/** The answers that were remembered, in order, and their number at each call. */
function grantsIn(record: readonly LogEntry[]) {
  const countAt = new Map<LogEntry, number>();
  const grants: z.output<typeof remembered>[] = [];
  for (const entry of record) {
    if (entry.t === "call") countAt.set(entry, grants.length);
    if (entry.t !== "answer") continue;
    const { answer, by } = (entry.outcome ?? {}) as { readonly answer?: { readonly remember?: unknown }; by?: unknown };
    const read = remembered.safeParse({ ...(answer?.remember ?? {}), by });
    if (answer?.remember && read.success) grants.push(read.data);
  }
  return { remembered: grants, countAt };
}

function contextOf({ rooms: { state, cwd } }: ServerParts, id: string): ReadonlyMap<string, number> {
  return state ? contextByCall(state.session(cwd, id)) : new Map();
}

function momentOf({ rooms }: ServerParts, { id, call }: { readonly id: string; readonly call: string }) {
  const entry = rooms.record(id).findLast((one) => one.t === "call" && one.id === call);
  if (!entry) throw unknownThing(`Session ${id} has no call "${call}".`);
  return { session: id, call, at: entry.at };
}

function textOf(
  { image }: PastState,
  bytes: Uint8Array | undefined,
): { readonly text: string } | { readonly why: string } {
  if (image.type === "none") return { why: "The file did not exist." };
  if (image.type !== "file") return { why: `This was a ${image.type}.` };
  if (!bytes) return { why: "The content is no longer kept." };
  if (bytes.length > MOST_BYTES) return { why: `The file has ${bytes.length} bytes: too many to show.` };
  return isUtf8(bytes) ? { text: Buffer.from(bytes).toString("utf8") } : { why: "The file is not text." };
}
