import { defineTool, type SessionStatus, state, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsSessions, sessionField } from "../support/session/session-words.ts";

const input = {
  type: "object",
  properties: { session: { ...sessionField, description: "The id of another session. Default: this one." } },
  additionalProperties: false,
} as const;

/** session_status: facts about this session or one that it may see. */
export const sessionStatus = defineTool({
  name: "session_status",
  title: "Session status",
  searchHint: "session status model mode tokens usage calls folder jobs",
  description: "Returns model, mode, folder, tokens, calls and running background jobs of a session.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needsSessions,
  effects: () => [state("sessions", { change: false })],
  describe: () => ({ title: "Session status", activity: "Looking at the session" }),
  run({ session }, { ports }): Promise<SessionStatus> {
    return portOf(ports, "sessions").status(session);
  },
  toModel: (status) => [text(lines(status).join("\n"))],
  toDisplay: (status) => ({ kind: "text", text: lines(status).join("\n") }),
});

function lines({ id, kind, status, model, mode, folder, tokens, calls, jobs = [] }: SessionStatus): string[] {
  return [
    `session: ${id} (${kind}, ${status})`,
    `model: ${model ?? "none"}`,
    ...(mode === undefined ? [] : [`mode: ${mode}`]),
    `folder: ${folder}`,
    ...(tokens ? [`tokens: ${tokens.input} in, ${tokens.output} out`] : []),
    ...(tokens?.context === undefined ? [] : [`context: ${tokens.context} tokens`]),
    `calls: ${calls.map(({ tool, count, failed }) => `${tool} ${count}${failed > 0 ? ` (${failed} failed)` : ""}`).join(", ") || "none"}`,
    ...(jobs.length > 0 ? [`background jobs: ${jobs.join(", ")}`] : []),
  ];
}
