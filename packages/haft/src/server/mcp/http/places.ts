import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Who holds a connection. */
export interface Places {
  /** Has shown that it may use the server: it keeps its connection. */
  known(socket: Socket): void;
}

/**
 * Bounds the connections of a server. Where there are too many, the one ends that has gone longest without saying who it is:
 * whoever only holds connections open keeps nobody out.
 */
export function boundPlaces(server: Server, most: number): Places {
  const open = new Set<Socket>();
  const strangers = new Set<Socket>();
  const leave = (socket: Socket): void => {
    open.delete(socket);
    strangers.delete(socket);
  };
  server.on("connection", (socket) => {
    open.add(socket);
    strangers.add(socket);
    socket.once("close", () => leave(socket));
    if (open.size <= most) return;
    const [longest = socket] = strangers;
    leave(longest);
    longest.destroy();
  });
  return { known: (socket) => void strangers.delete(socket) };
}
