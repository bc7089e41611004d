import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childOf, listeningPorts } from "./published.ts";

/** Makes the ports of a confined program reachable on this machine: only inward, never outward. */
export interface Publisher {
  /** The socket at which the relay inside waits for work. */
  readonly socket: string;
  /** Tracks the listening ports of programs in the sandbox that this process holds. */
  follow(process: number): void;
  /** Addresses of this machine that lead to a port inside. They have the same port number if it was free. */
  addresses(): readonly string[];
  close(): Promise<void>;
}

/** Polling interval for listening ports, in milliseconds. */
const LOOK_MS = 250;
/** Limit on relay connections that wait for a client. A relay holds one or two. */
const MAX_IDLE = 8;
/** Limit on published ports of one sandbox. */
const MAX_PORTS = 32;
const HOST = "127.0.0.1";

/**
 * Starts a publisher. A relay inside (see `inwardRelayArgv`) connects to its socket and waits there. A client that connects
 * to a published port from outside gets such a connection. The first two bytes on it are the port.
 */
export async function startPublisher(): Promise<Publisher> {
  const folder = await mkdtemp(join(tmpdir(), "haft-ports-"));
  const socket = join(folder, "in");
  const idle: Socket[] = [];
  const waiting: ((way: Socket) => void)[] = [];
  const open = new Set<Socket>();
  const doors = new Map<number, Promise<Server | undefined>>();
  const ports = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;

  function held(one: Socket): Socket {
    open.add(one);
    one.on("error", () => one.destroy());
    one.once("close", () => open.delete(one));
    return one.unref();
  }

  const ways = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (way) => {
    held(way);
    const next = waiting.shift();
    if (next) next(way);
    else if (idle.length < MAX_IDLE) idle.push(way);
    else way.destroy();
  });

  /** Joins a client from outside with the next relay connection. */
  function letIn(client: Socket, port: number): void {
    held(client);
    const join = (way: Socket): void => {
      const head = Buffer.alloc(2);
      head.writeUInt16BE(port);
      way.write(head);
      client.pipe(way).pipe(client);
      client.once("close", () => way.destroy());
      way.once("close", () => client.destroy());
      way.resume();
      client.resume();
    };
    const way = idle.shift();
    if (way) join(way);
    else waiting.push(join);
  }

  async function listen(port: number): Promise<Server | undefined> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => letIn(client, port));
    const own = (await bound(server, port)) ?? (await bound(server, 0));
    if (own === undefined) return undefined;
    server.unref();
    ports.set(port, own);
    return server;
  }

  async function look(inside: number): Promise<void> {
    const now = await listeningPorts(inside);
    for (const port of now.slice(0, MAX_PORTS)) if (!doors.has(port)) doors.set(port, listen(port));
    for (const [port, door] of doors) {
      if (now.includes(port)) continue;
      doors.delete(port);
      ports.delete(port);
      (await door)?.close();
    }
  }

  await new Promise<void>((resolve, reject) => ways.once("error", reject).listen(socket, resolve));
  ways.unref();
  return {
    socket,
    follow(process) {
      let inside: number | undefined;
      timer = setInterval(async () => {
        inside ??= await childOf(process);
        if (inside !== undefined) await look(inside);
      }, LOOK_MS);
      timer.unref();
    },
    addresses: () => [...ports.values()].map((port) => `${HOST}:${port}`),
    async close() {
      clearInterval(timer);
      for (const one of open) one.destroy();
      for (const door of doors.values()) (await door)?.close();
      doors.clear();
      ports.clear();
      ways.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Listens on a port of this machine. Resolves to the port, or to `undefined` if it is not available. */
const bound = (server: Server, port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const refuse = () => resolve(undefined);
    server.once("error", refuse);
    server.listen(port, HOST, () => {
      server.off("error", refuse);
      const address = server.address();
      resolve(typeof address === "object" ? address?.port : undefined);
    });
  });
