import { defineTool, type SessionLine, state, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsSessions, sessionField } from "../support/session/session-words.ts";

const input = {
  type: "object",
  properties: {
    session: sessionField,
    limit: {
      type: "integer",
      minimum: 1,
      maximum: 500,
      default: 50,
      description: "Maximum number of entries, from the end.",
    },
    include_tools: { type: "boolean", default: false, description: "Include calls and their results." },
  },
  required: ["session"],
  additionalProperties: false,
} as const;

/** sessions_history: reads the conversation of a session. */
export const sessionsHistory = defineTool({
  name: "sessions_history",
  title: "Read session",
  searchHint: "session history transcript conversation read what was said",
  description: "Reads the end of a session's conversation. Calls and their results are left out unless asked for.",
  input,
  rules: { groups: ["host"] },
  offer: "deferred",
  can: ["state"],
  when: needsSessions,
  effects: () => [state("sessions", { change: false })],
  describe: ({ session }) => ({ title: `Read session ${session ?? ""}`, activity: "Reading a session" }),
  async run({ session, limit = 50, include_tools: tools = false }, { ports }) {
    return portOf(ports, "sessions").history(session, { limit, tools });
  },
  sources: ({ sources }) => sources,
  toModel: ({ lines }) => [text(lines.length === 0 ? "The conversation is empty." : lines.map(words).join("\n\n"))],
});

const words = ({ role, tool, text: said }: SessionLine): string =>
  `${role}${tool === undefined ? "" : ` ${tool}`}: ${said}`;
