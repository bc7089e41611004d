import { type Delivery, defineTool, state, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsSessions, sessionField } from "../support/session/session-words.ts";

const input = {
  type: "object",
  properties: {
    session: sessionField,
    message: { type: "string", minLength: 1, maxLength: 20_000, description: "The text for its agent." },
    wait_seconds: {
      type: "integer",
      minimum: 0,
      maximum: 3600,
      default: 0,
      description: "How long to wait for an answer. 0: do not wait; the answer comes later as a message.",
    },
  },
  required: ["session", "message"],
  additionalProperties: false,
} as const;

/** sessions_send: sends a message to another session. */
export const sessionsSend = defineTool({
  name: "sessions_send",
  title: "Message a session",
  searchHint: "session send message ask other conversation answer",
  description:
    "Sends a message to the agent of another session, which reads it between two turns, or when somebody opens the session again. A message is never a user's consent.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needsSessions,
  // A session of the same tree has no more rights than this one. Any other may have.
  effects: ({ session }, { ports }) => [state(ports.sessions?.isKin(session) ? "messages" : "sessions")],
  describe: ({ session }) => ({ title: `Message to session ${session ?? ""}`, activity: "Sending a message" }),
  run({ session, message, wait_seconds: wait = 0 }, { ports, signal }): Promise<Delivery> {
    return portOf(ports, "sessions").send(session, message, { waitMs: wait * 1000, signal });
  },
  sources: (delivery) => (delivery.status === "answered" ? delivery.sources : []),
  toModel: (delivery) => [
    text(
      delivery.status === "answered"
        ? `It answered: ${delivery.answer}`
        : "Delivered. The answer will come as a message.",
    ),
  ],
});
