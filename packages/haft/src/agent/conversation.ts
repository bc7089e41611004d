import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRedactor } from "@haft/core/policy";
import { openSessionLog, readSessionLog } from "@haft/tools";
import type { Message } from "./message.ts";

/** The messages of a session, kept beside its record so that another process can go on with them. */
export interface Conversation {
  /** What was said before, oldest first. */
  readonly messages: readonly Message[];
  /** Writes down a message that has become part of the conversation. Secrets of the environment are left out. */
  add(message: Message): void;
  /** The next message begins anew. What was said stays in the file. */
  clear(): void;
  close(): void;
}

const FILE = "conversation.jsonl";

/** The conversation of the session whose record lies at `path`. Without a record nothing is kept. */
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

/** Whether the session in a folder holds a conversation. */
export const hasConversation = (folder: string): boolean =>
  existsSync(join(folder, FILE)) && messagesIn(join(folder, FILE)).length > 0;

function messagesIn(file: string): readonly Message[] {
  const { entries } = readSessionLog(file);
  const begun = entries.slice(entries.findLastIndex(({ t }) => t === "clear") + 1);
  return begun.flatMap(({ t, message }) => (t === "message" && isMessage(message) ? [message] : []));
}

/** A file may come from another version. */
function isMessage(value: unknown): value is Message {
  const { role, content, parts, results } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const lists: Readonly<Record<string, unknown>> = { user: content, assistant: parts, results };
  return typeof role === "string" && Array.isArray(lists[role]);
}
