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
  const publisher = new InwardPublisher(await mkdtemp(join(tmpdir(), "haft-ports-")));
  await publisher.listen();
  return publisher;
}

class InwardPublisher implements Publisher {
  readonly socket: string;
  readonly #folder: string;
  readonly #idle: Socket[] = [];
  readonly #waiting: ((way: Socket) => void)[] = [];
  readonly #open = new Set<Socket>();
  readonly #doors = new Map<number, Promise<Server | undefined>>();
  readonly #ports = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  readonly #ways = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (way) => {
    this.#hold(way);
    const next = this.#waiting.shift();
    if (next) next(way);
    else if (this.#idle.length < MAX_IDLE) this.#idle.push(way);
    else way.destroy();
  });

  constructor(folder: string) {
    this.#folder = folder;
    this.socket = join(folder, "in");
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => this.#ways.once("error", reject).listen(this.socket, resolve));
    this.#ways.unref();
  }

  #hold(one: Socket): void {
    this.#open.add(one);
    one.on("error", () => one.destroy());
    one.once("close", () => this.#open.delete(one));
    one.unref();
  }

  /** Joins a client from outside with the next relay connection. */
  #letIn(client: Socket, port: number): void {
    this.#hold(client);
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
    const way = this.#idle.shift();
    if (way) join(way);
    else this.#waiting.push(join);
  }

  async #publish(port: number): Promise<Server | undefined> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => this.#letIn(client, port));
    const own = (await bound(server, port)) ?? (await bound(server, 0));
    if (own === undefined) return undefined;
    server.unref();
    this.#ports.set(port, own);
    return server;
  }

  async #look(inside: number): Promise<void> {
    const now = await listeningPorts(inside);
    for (const port of now.slice(0, MAX_PORTS)) if (!this.#doors.has(port)) this.#doors.set(port, this.#publish(port));
    for (const [port, door] of this.#doors) {
      if (now.includes(port)) continue;
      this.#doors.delete(port);
      this.#ports.delete(port);
      (await door)?.close();
    }
  }

  follow(process: number): void {
    let inside: number | undefined;
    this.#timer = setInterval(async () => {
      inside ??= await childOf(process);
      if (inside !== undefined) await this.#look(inside);
    }, LOOK_MS);
    this.#timer.unref();
  }

  addresses(): readonly string[] {
    return [...this.#ports.values()].map((port) => `${HOST}:${port}`);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const one of this.#open) one.destroy();
    for (const door of this.#doors.values()) (await door)?.close();
    this.#doors.clear();
    this.#ports.clear();
    this.#ways.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
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
