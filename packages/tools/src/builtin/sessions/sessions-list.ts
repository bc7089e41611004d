import { defineTool, type SessionInfo, state, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsSessions, sessionLine } from "../support/session/session-words.ts";

const input = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 500, description: "Words that the conversation contains." },
    kind: { type: "string", enum: ["agent", "spawned", "schedule"], description: "Only sessions of this kind." },
    active_minutes: { type: "integer", minimum: 1, description: "Only sessions with activity within these minutes." },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20, description: "Most sessions to return." },
  },
  additionalProperties: false,
} as const;

/** sessions_list: lists the sessions that this one may see. */
export const sessionsList = defineTool({
  name: "sessions_list",
  title: "List sessions",
  searchHint: "sessions list other conversations running search history",
  description:
    "Lists the sessions that this one may see, with kind, activity and folder. query searches what was said in them.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needsSessions,
  effects: () => [state("sessions", { change: false })],
  describe: () => ({ title: "List sessions", activity: "Listing sessions" }),
  async run({ query, kind, active_minutes: activeMinutes, limit }, { ports }) {
    const port = portOf(ports, "sessions");
    const sessions = await port.list({
      ...(query === undefined ? {} : { query }),
      ...(kind === undefined ? {} : { kind }),
      ...(activeMinutes === undefined ? {} : { activeMinutes }),
      ...(limit === undefined ? {} : { limit }),
    });
    return { own: port.own, sessions } as { readonly own: string; readonly sessions: readonly SessionInfo[] };
  },
  toModel: ({ own, sessions }) => [
    text(sessions.length === 0 ? "No session matches." : sessions.map((one) => sessionLine(one, own)).join("\n")),
  ],
  toDisplay: ({ sessions }) => ({
    kind: "table",
    columns: ["session", "kind", "status", "folder"],
    rows: sessions.map(({ id, label, kind, status, folder }) => [label ?? id, kind, status, folder]),
  }),
});
