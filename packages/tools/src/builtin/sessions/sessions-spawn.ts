import { defineTool, delegate, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { labelOf, needsSessions } from "../support/session/session-words.ts";

const input = {
  type: "object",
  properties: {
    task: {
      type: "string",
      minLength: 1,
      maxLength: 50_000,
      description: "The whole task: the session knows nothing else.",
    },
    label: { type: "string", minLength: 1, maxLength: 200, description: "A short name for lists." },
    model: { type: "string", minLength: 1, description: "provider/name. Default: the model of this session." },
    timeout_seconds: { type: "integer", minimum: 1, maximum: 86_400, description: "Timeout for its work." },
    cleanup: {
      type: "string",
      enum: ["keep", "delete"],
      default: "keep",
      description: "delete: remove the session after it has reported its result.",
    },
  },
  required: ["task"],
  additionalProperties: false,
} as const;

/** sessions_spawn: starts a session of its own for a task. */
export const sessionsSpawn = defineTool({
  name: "sessions_spawn",
  title: "Start a session",
  searchHint: "session spawn start background conversation task child",
  description:
    "Starts a session with its own conversation and record for a task, under the rules of this one, and returns at once. Its result comes as a message.",
  input,
  offer: "deferred",
  can: ["delegate"],
  when: needsSessions,
  effects: () => [delegate("session")],
  describe: ({ label }) => ({ title: `Start a session${label ? `: ${label}` : ""}`, activity: "Starting a session" }),
  run({ task, label, model, cleanup, timeout_seconds: seconds }, { ports }) {
    return portOf(ports, "sessions").spawn({
      task,
      ...(label === undefined ? {} : { label: labelOf(label) }),
      ...(model === undefined ? {} : { model }),
      ...(cleanup === undefined ? {} : { cleanup }),
      ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
    });
  },
  toModel: ({ session }) => [text(JSON.stringify({ status: "accepted", session }))],
});
