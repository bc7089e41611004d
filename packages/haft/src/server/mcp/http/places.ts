import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Who holds a connection. */
export interface Places {
  /** A client has shown that it may use the server: it keeps its connection while this request is open, and where there is room. */
  known(client: string, socket: Socket, answer: Pick<ServerResponse, "once">): void;
}

/** A connection of a client that is known. */
interface Place {
  readonly client: string;
  /** Requests that are not answered yet. */
  open: number;
}

/** The share of the places that those who have not said yet who they are can always have. */
const FOR_STRANGERS = 0.1;

/**
 * Bounds the connections of a server. Where there are too many, the one ends that has gone longest without saying who it is:
 * whoever only holds connections open keeps nobody out. Where nearly all have said it, the client with the most of them makes
 * room with one that waits for nothing: nobody keeps the others out either, and what is open stays.
 */
export function boundPlaces(server: Server, most: number): Places {
  const open = new Set<Socket>();
  const strangers = new Set<Socket>();
  /** Those that were used last stand at the end. */
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
