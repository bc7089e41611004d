import { type Conversation, fail, type Inbox, type Snipped } from "@haft/core/tool";
import type { Message } from "../message.ts";

/** The incoming messages of one agent, and the conversation that its model sees. */
export interface Mailbox {
  /** Sends a message to the agent. It reads it between two turns, and a waiting tool wakes up. */
  put(message: Message): void;
  /** Returns and removes the unread messages. */
  take(): readonly Message[];
  /** Makes the conversation available to this agent's tools until the returned function is called. */
  lend(messages: Message[]): () => void;
  readonly inbox: Inbox;
  /** The conversation; present only while one is lent. */
  readonly conversation: Conversation;
  isLent(): boolean;
}

/** `keep` writes down the messages that are cut, and returns the file. */
export function createMailbox(keep?: (removed: readonly Message[]) => string | undefined): Mailbox {
  const waiting: Message[] = [];
  const wake = new Set<() => void>();
  let lent: Message[] | undefined;

  const conversation: Conversation = {
    async snip(span): Promise<Snipped> {
      const messages = lent ?? fail("tool_unavailable", "No conversation can be cut here.", "Go on without it.");
      const { charsOf, snipped } = await import("./snip.ts");
      const { messages: shorter, removed } = snipped(messages, span);
      const file = keep?.(removed);
      messages.splice(0, messages.length, ...shorter);
      return { messages: removed.length, chars: charsOf(removed), ...(file === undefined ? {} : { file }) };
    },
  };
  return {
    put(message) {
      waiting.push(message);
      for (const one of [...wake]) one();
    },
    take: () => waiting.splice(0),
    lend(messages) {
      lent = messages;
      return () => {
        if (lent === messages) lent = undefined;
      };
    },
    inbox: {
      arrival: (signal) =>
        new Promise((resolve, reject) => {
          if (waiting.length > 0) return resolve();
          const over = () => {
            wake.delete(arrived);
            signal.removeEventListener("abort", gone);
          };
          const arrived = () => {
            over();
            resolve();
          };
          const gone = () => {
            over();
            reject(signal.reason);
          };
          if (signal.aborted) return gone();
          wake.add(arrived);
          signal.addEventListener("abort", gone, { once: true });
        }),
    },
    conversation,
    isLent: () => lent !== undefined,
  };
}
