import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Tracks the owners of connections. */
export interface Places {
  /**
   * A client has authenticated: it keeps its connection while this request is open, and afterwards if there is room.
   */
  known(client: string, socket: Socket, answer: Pick<ServerResponse, "once">): void;
}

/** A connection of an authenticated client. */
interface Place {
  readonly client: string;
  /** Unanswered requests. */
  open: number;
}

/** The share of the connections that unauthenticated clients can always have. */
const FOR_STRANGERS = 0.1;

/**
 * Limits the connections of a server. Above the limit, the oldest unauthenticated connection is closed, so idle
 * connections do not lock others out. If nearly all are authenticated, the client with the most connections loses an
 * idle one. So no client locks the others out either, and open requests continue.
 */
export function limitConnections(server: Server, most: number): Places {
  const open = new Set<Socket>();
  const strangers = new Set<Socket>();
  /** Ordered by last use, the most recent last. */
  const places = new Map<Socket, Place>();
  const leave = (socket: Socket): void => {
    open.delete(socket);
    strangers.delete(socket);
    places.delete(socket);
  };

  function idleOfTheMost(): Socket | undefined {
    const held = new Map<string, number>();
    for (const { client } of places.values()) held.set(client, (held.get(client) ?? 0) + 1);
    const idle = [...places].filter(([, place]) => place.open === 0);
    const crowded = Math.max(...idle.map(([, { client }]) => held.get(client)!));
    return idle.find(([, { client }]) => held.get(client) === crowded)?.[0];
  }

  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => leave(socket));
    strangers.add(socket);
    if (open.size <= most) return;
    const [longest = socket] = strangers;
    const leaving = strangers.size > most * FOR_STRANGERS ? longest : (idleOfTheMost() ?? longest);
    leave(leaving);
    leaving.destroy();
  });
  return {
    known(client, socket, answer) {
      strangers.delete(socket);
      // It may have ended while its request was on the way.
      if (!open.has(socket)) return;
      const place = places.get(socket)?.client === client ? places.get(socket)! : { client, open: 0 };
      places.delete(socket);
      places.set(socket, place);
      place.open += 1;
      answer.once("close", () => {
        place.open -= 1;
      });
    },
  };
}
