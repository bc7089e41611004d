import type { SessionInfo } from "@haft/core/tool";
import { openSessionRegistry } from "@haft/service/session";
import type { AgentSessionOptions } from "../../session/index.ts";
import { ClientTools } from "./client-tools.ts";
import { type Inbox, type InboxItem, openInbox } from "./inbox.ts";
import { type InboxNews, watchInbox } from "./inbox-news.ts";
import type { LiveSession } from "./live-session.ts";
import type { Rooms } from "./rooms.ts";
import { type LiveSchedules, openLiveSchedules } from "./schedules.ts";

/** Everything that the operations and sockets of a server share. */
export interface ServerParts {
  readonly version: string;
  /** The options of every session. */
  readonly base: AgentSessionOptions;
  readonly rooms: Rooms;
  readonly inbox: Inbox;
  readonly inboxNews: InboxNews;
  readonly clientTools: ClientToolsBySession;
  /** Absent where nothing is kept on disk. */
  readonly schedules?: LiveSchedules;
  /** Milliseconds until a client that reads nothing is disconnected. */
  readonly unreadMs: number;
  close(): Promise<void>;
}

/** The client tools of every open session. */
export interface ClientToolsBySession {
  of(session: LiveSession): ClientTools;
  left(socket: Parameters<ClientTools["left"]>[0]): void;
}

/** Limits in time of a server. */
export interface Patience {
  /** How long a client's tools wait for a client that lost its connection. */
  readonly graceMs: number;
  readonly unreadMs: number;
}

/** Puts the parts of a server together. Runs the schedules that are due from now on. */
export async function serverParts(
  version: string,
  base: AgentSessionOptions,
  rooms: Rooms,
  { graceMs, unreadMs }: Patience,
): Promise<ServerParts> {
  const bySession = new Map<string, ClientTools>();
  rooms.on(({ type, session }) => {
    if (type !== "closed") return;
    bySession.delete(session.id);
  });
  const registry = rooms.state && (await openSessionRegistry(rooms.state));
  const inbox = openInbox(
    rooms,
    (id) => originIn(registry?.get(id)),
    () => inboxNews.look(),
  );
  const inboxNews: InboxNews = watchInbox(rooms, inbox);
  const schedules = rooms.state && (await openLiveSchedules(rooms.state, base));
  schedules?.on(() => inboxNews.tell({ type: "schedules" }));
  return {
    ...(schedules ? { schedules } : {}),
    ...{ version, base, rooms, inbox, inboxNews, unreadMs },
    clientTools: {
      of(session) {
        const known = bySession.get(session.id) ?? new ClientTools(session, graceMs);
        bySession.set(session.id, known);
        return known;
      },
      left(socket) {
        for (const tools of bySession.values()) tools.left(socket);
      },
    },
    async close() {
      inboxNews.close();
      // Before the sessions: what waits for a client stays on disk.
      for (const tools of bySession.values()) tools.close();
      await Promise.all([schedules?.close(), rooms.close()]);
      registry?.close();
    },
  };
}

function originIn(info: SessionInfo | undefined): InboxItem["from"] {
  if (!info || info.kind === "agent") return undefined;
  return { kind: info.kind, ...(info.label === undefined ? {} : { label: info.label }) };
}
