/** @module A live conversation of a person with the agent, for every face. */

export { mentionsIn, withMentioned } from "./mention/with-mentioned.ts";
export { openSession } from "./open-session.ts";
export { remotePromptText } from "./remote-prompt.ts";
export { type RunOptions, runOn } from "./run-on.ts";
export * from "./session.ts";
export { quietSdk } from "./session-model.ts";
export { conversationMarkdown } from "./stored/export-session.ts";
export { type RecordedCall, recordedCalls } from "./stored/recorded-calls.ts";
export {
  deleteSession,
  type ReadSessions,
  type SessionPlace,
  type StoredSession,
  storedSession,
  storedSessions,
} from "./stored/stored-sessions.ts";
export { commandFor, type TypedCommand, typedCommand } from "./typed-command.ts";
