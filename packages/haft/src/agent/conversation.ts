import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRedactor } from "@haft/core/policy";
import { contentsText } from "@haft/core/tool";
import { type LogEntry, openSessionLog, readSessionLog } from "@haft/service";
import { callsOf, isNews, type Message } from "./message.ts";
import { readStoredMessage } from "./stored-message.ts";

/** The messages of a session, stored next to its record so that another process can continue them. */
export interface Conversation {
  /** Earlier messages, oldest first. */
  readonly messages: readonly Message[];
  /** Number of lines that could not be read, in whole or in part. The rest is there. */
  readonly unread: number;
  /** Tokens of the last request whose answer is there, as far as the provider counted them. */
  readonly contextTokens?: number;
  /** The file, if there is one. */
  readonly file?: string;
  /** Writes down parts of an answer, or results of its calls, while others are missing. The whole messages replace them; after a crash they stay. */
  begin(piece: Exclude<Message, { readonly role: "user" }>): void;
  /** Writes down a message of the conversation, without secrets of the environment. */
  add(message: Message): void;
  /** Notes the size of the request whose answer is the next message. */
  used(contextTokens: number): void;
  /** Notes that the first messages are those of another session. */
  forkedFrom(session: string): void;
  /** Starts a new conversation with the next message. Earlier messages stay in the file. */
  clear(): void;
  /** Goes on with these messages instead. Earlier messages stay in the file. */
  replace(messages: readonly Message[], summary: string): void;
  close(): void;
}

const FILE = "conversation.jsonl";

/** The conversation of the session with its record at `path`. Without a record nothing is stored. */
export function openConversation(path: string | undefined): Conversation {
  if (path === undefined)
    return {
      messages: [],
      unread: 0,
      begin() {},
      add() {},
      used() {},
      forkedFrom() {},
      clear() {},
      replace() {},
      close() {},
    };
  const file = join(dirname(path), FILE);
  const read = existsSync(file) ? readMessages(file) : { messages: [], unread: 0 };
  const log = openSessionLog(file, { redact: createRedactor(process.env) });
  return {
    ...read,
    file,
    begin: (piece) =>
      log.append(
        piece.role === "assistant" ? { t: "parts", parts: piece.parts } : { t: "results", results: piece.results },
      ),
    add: (message) => log.append({ t: "message", message }),
    used: (contextTokens) => log.append({ t: "usage", contextTokens }),
    forkedFrom: (session) => log.append({ t: "fork", session }),
    clear: () => log.append({ t: "clear" }),
    replace: (messages, summary) => log.append({ t: "compacted", summary, messages }),
    close: () => log.close(),
  };
}

/** The conversation in a session's folder. Opens nothing for writing. */
export const conversationIn = (folder: string): readonly Message[] =>
  existsSync(join(folder, FILE)) ? readMessages(join(folder, FILE)).messages : [];

/** The words that began the conversation in a session's folder, also if a summary has replaced them. */
export function openingIn(folder: string): string | undefined {
  const file = join(folder, FILE);
  const { entries } = existsSync(file) ? readSessionLog(file) : { entries: [] };
  const texts = entries
    .slice(entries.findLastIndex(({ t }) => t === "clear") + 1)
    .flatMap(({ t, message }) => (t === "message" ? (readStoredMessage(message).message ?? []) : []))
    .flatMap((message) => (message.role === "user" ? [contentsText(message.content)] : []));
  return texts.find((text) => !isNews(text)) ?? texts[0];
}

/** The tokens in the context when the model made each call, by the id of the call, as far as the provider counts them. */
export function contextByCall(folder: string): ReadonlyMap<string, number> {
  const file = join(folder, FILE);
  const tokens = new Map<string, number>();
  let used: number | undefined;
  for (const entry of existsSync(file) ? readSessionLog(file).entries : []) {
    if (entry.t === "usage" && typeof entry.contextTokens === "number") used = entry.contextTokens;
    if (entry.t !== "message") continue;
    const { message } = readStoredMessage(entry.message);
    if (message?.role !== "assistant") continue;
    for (const { id } of callsOf(message)) if (used !== undefined) tokens.set(id, used);
    used = undefined;
  }
  return tokens;
}

/** The session whose conversation the one in this folder continues, if it is a fork. */
export function forkOrigin(folder: string): string | undefined {
  const file = join(folder, FILE);
  if (!existsSync(file)) return undefined;
  const session = readSessionLog(file).entries.find(({ t }) => t === "fork")?.session;
  return typeof session === "string" ? session : undefined;
}

/** The file of the conversation in a session's folder. */
export const conversationFile = (folder: string): string => join(folder, FILE);

/** Whether the session in a folder has a conversation. */
export const hasConversation = (folder: string): boolean => conversationIn(folder).length > 0;

/** The conversation in a file, since it was last cleared or summarized. */
function readMessages(file: string): Pick<Conversation, "messages" | "unread" | "contextTokens"> {
  const { entries, skipped } = readSessionLog(file);
  const start = entries.findLastIndex(({ t }) => t === "clear" || t === "compacted");
  const first = entries[start];
  const kept = first?.t === "compacted" && Array.isArray(first.messages) ? first.messages : [];
  const all: readonly unknown[] = [...kept, ...messagesIn(entries.slice(start + 1))];
  const read = all.map(readStoredMessage);
  const messages = read.flatMap(({ message }) => message ?? []);
  const used = entries.slice(start + 1).findLast(({ t }) => t === "usage")?.contextTokens;
  return {
    ...{ messages, unread: skipped + read.filter(({ isDamaged }) => isDamaged).length },
    ...(typeof used === "number" ? { contextTokens: used } : {}),
  };
}

/** The stored messages. Parts and results without their message are of one that a crash ended. */
function messagesIn(entries: readonly LogEntry[]): readonly unknown[] {
  const messages: unknown[] = [];
  let parts: unknown[] = [];
  let results: unknown[] = [];
  const end = (): void => {
    if (parts.length > 0) messages.push({ role: "assistant", parts });
    if (results.length > 0) messages.push({ role: "results", results });
    [parts, results] = [[], []];
  };
  for (const entry of entries) {
    if (entry.t === "parts" && Array.isArray(entry.parts)) parts.push(...entry.parts);
    if (entry.t === "results" && Array.isArray(entry.results)) results.push(...entry.results);
    if (entry.t !== "message") continue;
    if ((entry.message as Message | null)?.role === "assistant") [parts, results] = [[], []];
    end();
    messages.push(entry.message);
  }
  end();
  return messages;
}
