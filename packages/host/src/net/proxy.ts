import { mkdtemp, rm } from "node:fs/promises";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { connect, type ListenOptions, type Socket } from "node:net";
import { tmpdir } from "node:os";
import type { Duplex } from "node:stream";
import type { Reach } from "./reach.ts";

/** A proxy that checks every connection. */
interface Proxy {
  /** Refused hosts as `host:port`, each once, with the reason. */
  refused(): ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** The only way out of a sandbox: a proxy on a socket in the file system, visible to one command. */
interface HostProxy extends Proxy {
  readonly socket: string;
}

/** A proxy for a program that cannot use a socket in the file system. Other programs of this machine do not know the password. */
export interface LoopbackProxy extends Proxy {
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** Connect timeout in milliseconds. */
const CONNECT_MS = 30_000;

/** Starts a proxy on a socket in a new folder. */
export async function startProxy(reach: Reach): Promise<HostProxy> {
  const proxy = await openProxy(reach, () => true);
  const folder = await mkdtemp(`${tmpdir()}/haft-net-`);
  const socket = `${folder}/proxy`;
  await proxy.listen({ path: socket });
  return {
    socket,
    refused: proxy.refused,
    async close() {
      proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a proxy on a free port of this machine. Clients need its password. */
export async function startLoopbackProxy(reach: Reach): Promise<LoopbackProxy> {
  const [user, password] = ["haft", crypto.randomUUID()];
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const proxy = await openProxy(reach, ({ headers }) => headers["proxy-authorization"] === expected);
  const port = await proxy.listen({ host: "127.0.0.1", port: 0 });
  return { port, user, password, refused: proxy.refused, close: async () => proxy.close() };
}

const WHO =
  'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="haft"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/**
 * A proxy for HTTP and for tunnels. It resolves names itself, checks every answer, and connects to the checked
 * address. It cannot see the content of a tunnel, so each counts as sending.
 */
async function openProxy(reach: Reach, mayUse: (asked: IncomingMessage) => boolean) {
  const { createServer, request } = await import("node:http");
  const refused = new Map<string, string>();
  const sockets = new Set<Duplex>();

  const open = (host: string, port: number) => openSocket(reach, host, port, refused, sockets);

  async function tunnel(asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    if (!mayUse(asked)) {
      client.end(WHO);
      return;
    }
    const target = targetOf(asked.url ?? "");
    const opened = target ? await open(target.host, target.port) : "This is not a host and a port.";
    if (typeof opened === "string") {
      client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${opened}\n`);
      return;
    }
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    opened.write(head);
    join(client, opened);
  }

  async function forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (!mayUse(asked)) {
      answer.writeHead(407, { "proxy-authenticate": 'Basic realm="haft"' }).end();
      return;
    }
    const url = URL.canParse(asked.url ?? "") ? new URL(asked.url!) : undefined;
    if (url?.protocol !== "http:") {
      answer.writeHead(400).end("Only http: addresses and tunnels are supported.\n");
      return;
    }
    const opened = await open(url.hostname, Number(url.port || 80));
    if (typeof opened === "string") {
      answer.writeHead(403, { ...PLAIN, "x-haft-refused": "1" }).end(`${opened}\n`);
      return;
    }
    const outgoing = request({
      createConnection: () => opened,
      method: asked.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...endToEnd(asked.headers), host: url.host, connection: "close" },
    });
    answer.once("close", () => opened.destroy());
    relay(asked, outgoing, answer);
  }

  const server = createServer((asked, answer) => void forward(asked, answer).catch(() => answer.destroy()));
  server.on("connect", (asked: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    sockets.add(client.once("close", () => sockets.delete(client)));
    tunnel(asked, client, head).catch(() => client.destroy());
  });
  server.on("clientError", (_, socket) => socket.destroy());
  return {
    refused: () => refused,
    async listen(place: ListenOptions): Promise<number> {
      await new Promise<void>((resolve, reject) => server.once("error", reject).listen(place, resolve));
      server.unref();
      const at = server.address();
      return typeof at === "object" && at !== null ? at.port : 0;
    },
    close(): void {
      server.close();
      server.closeAllConnections();
      for (const open of sockets) open.destroy();
    },
  };
}

/** Connects to a host that may be reached, or says why not. */
async function openSocket(
  reach: Reach,
  host: string,
  port: number,
  refused: Map<string, string>,
  sockets: Set<Duplex>,
): Promise<Socket | string> {
  const found = await reach.resolve(host, port);
  if ("refused" in found) {
    refused.set(`${host}:${port}`, found.refused);
    return found.refused;
  }
  for (const address of found.addresses) {
    const socket = await dial(address, port);
    if (!socket) continue;
    sockets.add(socket.once("close", () => sockets.delete(socket)));
    return socket;
  }
  return `${host}:${port} does not answer.`;
}

function join(client: Duplex, opened: Socket): void {
  client.pipe(opened).pipe(client);
  client.once("close", () => opened.destroy());
  opened.once("close", () => client.destroy());
}

function relay(asked: IncomingMessage, outgoing: ClientRequest, answer: ServerResponse): void {
  outgoing.once("response", (response) => {
    answer.writeHead(response.statusCode ?? 502, endToEnd(response.headers));
    response.pipe(answer);
  });
  outgoing.once("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  asked.pipe(outgoing);
}

function dial(host: string, port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS, noDelay: true });
    const fail = () => {
      socket.destroy();
      resolve(undefined);
    };
    socket.on("error", fail).once("timeout", fail);
    socket.once("connect", () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

/** A browser does not guess another type, which it would save as a file. */
const PLAIN = { "content-type": "text/plain", "x-content-type-options": "nosniff" };

/** `host:port` of a CONNECT, with an IPv6 address in brackets. */
function targetOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:/?#@\s]+):(\d{1,5})$/i.exec(text) ?? [];
  const number = Number(port);
  return host !== undefined && number > 0 && number < 65_536 ? { host, port: number } : undefined;
}

/** Hop-by-hop headers, and those for the proxy. */
const PER_STATION = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/** Removes hop-by-hop headers. Bodies keep their length or are chunked again. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !PER_STATION.has(name) && !named.has(name)));
}
