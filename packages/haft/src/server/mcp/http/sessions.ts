import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type RequestId, type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { ServedClient } from "../client.ts";
import type { ContentChange } from "../content.ts";
import { tellChange } from "../server.ts";
import type { Serving } from "../serving.ts";
import { cancelledRequest } from "../stdio/plain-call.ts";

/** The sessions of the older protocol. Each is a separate client and belongs to the owner that opened it. */
export interface Sessions {
  /** Creates a session for the request that opens it. */
  open(owner: string): Promise<Session>;
  /**
   * The session of a request, in use until the request is answered. `undefined`: it does not exist, or has another
   * owner.
   */
  find(id: string, owner: string, request: Pick<ServerResponse, "once" | "destroyed">): Session | undefined;
  tell(change: ContentChange): void;
  close(): Promise<void>;
}

export interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

interface OpenSession extends Session {
  readonly owner: string;
  readonly server: Server;
  /** Open requests and streams. */
  open: number;
  usedAt: number;
}

/** Maximum sessions of one owner. Beyond it the least recently used one ends, idle ones first. */
const MAX_OF_OWNER = 128;

/** Milliseconds without an open request after which a session ends. The client then opens another. */
const IDLE_MS = 30 * 60_000;

export function createSessions(serving: Pick<Serving, "server">, clientOf: (owner: string) => ServedClient): Sessions {
  const sessions = new Map<string, OpenSession>();
  const sweep = setInterval(() => {
    const before = performance.now() - IDLE_MS;
    for (const { open, usedAt, server } of sessions.values())
      if (open === 0 && usedAt < before) void server.close().catch(() => {});
  }, 60_000).unref();

  function makeRoom(owner: string): void {
    const own = [...sessions.values()].filter((session) => session.owner === owner);
    if (own.length < MAX_OF_OWNER) return;
    own.sort((a, b) => Number(a.open > 0) - Number(b.open > 0) || a.usedAt - b.usedAt);
    void own[0]?.server.close().catch(() => {});
  }

  return {
    async open(owner) {
      makeRoom(owner);
      const client = clientOf(owner);
      const { server } = serving.server(client);
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized(id) {
          sessions.set(id, { owner, server, transport, open: 0, usedAt: performance.now() });
        },
      });
      server.onclose = () => {
        client.close();
        if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
      };
      transport.onmessage = (message) => {
        const taken = cancelledRequest(message);
        // Later: the same stream cancels the questions that the request asked its client.
        if (taken) setImmediate(() => letGo(server, transport, taken.id));
      };
      await server.connect(transport);
      return { transport };
    },
    find(id, owner, request) {
      const session = sessions.get(id);
      if (session?.owner !== owner) return undefined;
      session.usedAt = performance.now();
      if (request.destroyed) return session;
      session.open += 1;
      request.once("close", () => {
        session.open -= 1;
        session.usedAt = performance.now();
      });
      return session;
    },
    tell(change) {
      for (const { server } of sessions.values()) tellChange(server, change);
    },
    async close() {
      clearInterval(sweep);
      await Promise.allSettled([...sessions.values()].map(({ server }) => server.close()));
    },
  };
}

/** A cancelled request gets no answer. The SDK would keep its stream open for one, and the client's slot in use. */
function letGo(server: Server, transport: Session["transport"], id: RequestId): void {
  // Up to this version, other requests of the same batch may share the stream.
  if (server.getNegotiatedProtocolVersion() !== "2025-03-26") transport.closeSSEStream(id);
  const error = { code: REQUEST_CANCELLED, message: "The client cancelled the request." };
  // The transport forgets a request only with its answer. A finished request is already forgotten.
  transport.send({ jsonrpc: "2.0", id, error }).catch(() => {});
}

/** As in other protocols on JSON-RPC. */
const REQUEST_CANCELLED = -32800;
