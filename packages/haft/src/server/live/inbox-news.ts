import type { Inbox, InboxItem } from "./inbox.ts";
import type { Rooms } from "./rooms.ts";

/** A change of the inbox, for every connected client. */
export type InboxChange =
  | { readonly type: "asked"; readonly item: InboxItem }
  | {
      readonly type: "settled";
      readonly id: string;
      readonly session: string;
      /** The client that answered, if one did. */
      readonly by?: string;
      readonly behavior?: "allow" | "deny";
    }
  | { readonly type: "sessions" | "schedules" };

/** The changes of the inbox over all sessions. */
export interface InboxNews {
  on(listener: (change: InboxChange) => void): () => void;
  tell(change: InboxChange): void;
  /** Looks for changes now. */
  look(): void;
  close(): void;
}

/** Milliseconds between two looks for questions of other processes. Their files can be watched nowhere reliably. */
const LOOK_MS = 1_500;

/** Follows the questions of all sessions. Looks for those of other processes only while somebody listens. */
export function watchInbox(rooms: Rooms, inbox: Inbox): InboxNews {
  const listeners = new Set<(change: InboxChange) => void>();
  let known = new Map<string, InboxItem>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (change: InboxChange): void => {
    for (const listener of [...listeners]) listener(change);
  };

  /** Compares the inbox with the last look. */
  function look(): void {
    const now = new Map(inbox.list().map((item) => [item.request.id, item]));
    for (const [id, item] of now) if (!known.has(id)) tell({ type: "asked", item });
    for (const [id, { session }] of known)
      if (!now.has(id)) tell({ type: "settled", id, session, ...inbox.ending(id) });
    known = now;
  }

  const silence = rooms.on((news) => {
    if (news.type !== "event") {
      tell({ type: "sessions" });
      return look();
    }
    const { event, session } = news;
    if (event.type === "status" || event.type === "prompt") tell({ type: "sessions" });
    if (event.type === "tool:permission:request") look();
    if (event.type === "tool:permission:response") {
      known.delete(event.requestId);
      tell({
        type: "settled",
        id: event.requestId,
        session: session.id,
        by: event.by,
        behavior: event.answer.behavior,
      });
    }
    // A question can also end without an answer: cancelled, or expired.
    if (event.type === "tool:execution:error" || event.type === "end") look();
  });

  return {
    tell,
    look,
    on(listener) {
      listeners.add(listener);
      timer ??= setInterval(look, LOOK_MS).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    close() {
      silence();
      clearInterval(timer);
      listeners.clear();
    },
  };
}
