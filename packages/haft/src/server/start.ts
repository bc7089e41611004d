import { createServer, type IncomingMessage, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { StateFolder } from "@haft/service";
import { getRequestListener } from "@hono/node-server";
import { WebSocketServer } from "ws";
import type { AgentSessionOptions } from "../session/index.ts";
import { createApi } from "./api/app.ts";
import { bracketed, createGuard, createOriginCheck, hostsOf, type Refusal } from "./http/guard.ts";
import { createLogins } from "./http/logins.ts";
import { staticFiles } from "./http/static-files.ts";
import type { Tokens } from "./http/tokens.ts";
import { type ServerParts, serverParts } from "./live/parts.ts";
import { openRooms } from "./live/rooms.ts";
import { serveSocket } from "./live/socket.ts";
import { MAX_BODY_BYTES } from "./route/route.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tokens: Tokens;
  readonly version: string;
  /** The options of every session. */
  readonly base: AgentSessionOptions;
  /** Absolute, real. */
  readonly cwd: string;
  /** Absent: nothing is kept on disk. */
  readonly state?: StateFolder;
  /** The folder of the built console. */
  readonly consoleFolder?: string;
  /** Milliseconds that a client's tools wait for a client that lost its connection. Default: one minute. */
  readonly graceMs?: number;
  /** Milliseconds for which a client may leave data unread. Default: one minute. */
  readonly unreadMs?: number;
}

export interface ServerHandle {
  /** Without a path. */
  readonly url: string;
  readonly parts: ServerParts;
  /** Number of connected sockets. */
  socketCount(): number;
  /** Ends the sessions and releases the port. */
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
/** Milliseconds for a request to arrive whole. Answers may take any time. */
const ARRIVAL_MS = 30_000;
/** Milliseconds that an idle connection stays open: a client that uses it again must not find it closing. */
const IDLE_MS = 75_000;
const MAX_CONNECTIONS = 500;

/** The HTTP face and its parts, without a listener. `port`: known when it listens. */
export async function createServerApi(options: ServerOptions, port: () => number) {
  const { host, tokens, base, cwd, state, version, consoleFolder, graceMs = MINUTE_MS, unreadMs = MINUTE_MS } = options;
  const hosts = hostsOf(host);
  const logins = createLogins(port);
  const guard = createGuard({ hosts, tokens, clientOfCookies: logins.clientOf });
  const link = (session: string): string => `http://${bracketed(host)}:${port()}/#/s/${session}/canvas`;
  const parts = await serverParts(version, base, openRooms(base, cwd, state, link), { graceMs, unreadMs });
  const app = createApi({
    ...{ parts, guard, tokens, logins, originCheck: createOriginCheck(hosts) },
    ...(consoleFolder === undefined ? {} : { page: staticFiles(consoleFolder) }),
  });
  return { app, parts, guard };
}

/** Serves the API, the sockets and the console. */
export async function startServer(options: ServerOptions): Promise<ServerHandle> {
  const { host } = options;
  const server = createServer({ requestTimeout: ARRIVAL_MS, headersTimeout: ARRIVAL_MS, keepAliveTimeout: IDLE_MS });
  const port = (): number => (server.address() as AddressInfo | null)?.port ?? options.port;
  const { app, parts, guard } = await createServerApi(options, port);
  server.maxConnections = MAX_CONNECTIONS;
  server.on("request", getRequestListener(app.fetch, { overrideGlobalObjects: false }));

  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES, perMessageDeflate: false });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const known = guard(request);
    if (!("client" in known)) return refuse(socket, known);
    if (request.url?.split("?", 1)[0] !== "/api/socket") return refuse(socket, { status: 404, message: "Not found." });
    sockets.handleUpgrade(request, socket, head, (webSocket) => serveSocket(parts, webSocket, known.client));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, host, () => resolve());
  });
  return {
    url: `http://${bracketed(host)}:${port()}`,
    parts,
    socketCount: () => sockets.clients.size,
    async close() {
      await parts.close();
      for (const socket of sockets.clients) socket.close(1001, "The server is shutting down.");
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const socket of sockets.clients) socket.terminate();
      await closed;
    },
  };
}

function refuse(socket: Duplex, { status, message }: Refusal): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`);
}
