import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRedactor } from "@haft/core/policy";
import { openSessionLog, readSessionLog } from "@haft/tools";
import type { Message } from "./message.ts";

/** The messages of a session, stored next to its record so that another process can continue them. */
export interface Conversation {
  /** Earlier messages, oldest first. */
  readonly messages: readonly Message[];
  /** Writes down a message of the conversation, without secrets of the environment. */
  add(message: Message): void;
  /** Starts a new conversation with the next message. Earlier messages stay in the file. */
  clear(): void;
  close(): void;
}

const FILE = "conversation.jsonl";

/** The conversation of the session with its record at `path`. Without a record nothing is stored. */
export function openConversation(path: string | undefined): Conversation {
  if (path === undefined) return { messages: [], add() {}, clear() {}, close() {} };
  const file = join(dirname(path), FILE);
  const messages = existsSync(file) ? messagesIn(file) : [];
  const log = openSessionLog(file, { redact: createRedactor(process.env) });
  return {
    messages,
    add: (message) => log.append({ t: "message", message }),
    clear: () => log.append({ t: "clear" }),
    close: () => log.close(),
  };
}

/** The conversation in a session's folder. Opens nothing for writing. */
export const conversationIn = (folder: string): readonly Message[] =>
  existsSync(join(folder, FILE)) ? messagesIn(join(folder, FILE)) : [];

/** Whether the session in a folder has a conversation. */
export const hasConversation = (folder: string): boolean => conversationIn(folder).length > 0;

function messagesIn(file: string): readonly Message[] {
  const { entries } = readSessionLog(file);
  const begun = entries.slice(entries.findLastIndex(({ t }) => t === "clear") + 1);
  return begun.flatMap(({ t, message }) => (t === "message" && isMessage(message) ? [message] : []));
}

/** Checks a message, as another version may have written the file. */
function isMessage(value: unknown): value is Message {
  const { role, content, parts, results } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const lists: Readonly<Record<string, unknown>> = { user: content, assistant: parts, results };
  return typeof role === "string" && Array.isArray(lists[role]);
}
