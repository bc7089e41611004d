import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import type { Duplex } from "node:stream";
import type { Reach } from "./reach.ts";

/** The only way out of a sandbox: a proxy on a socket in the file system, which is shown to one command. */
export interface HostProxy {
  readonly socket: string;
  /** Hosts that were wanted and are closed, as `host:port`, each once, with the reason. */
  refused(): ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** Milliseconds that a connection may take to come about. */
const CONNECT_MS = 30_000;

/**
 * Starts a proxy for HTTP and for tunnels. It looks names up itself, checks every answer, and connects to the address
 * that it has checked. What goes through a tunnel is not seen, so each counts as sending.
 */
export async function startProxy(reach: Reach): Promise<HostProxy> {
  const { createServer, request } = await import("node:http");
  const refused = new Map<string, string>();
  const sockets = new Set<Duplex>();

  async function open(host: string, port: number): Promise<Socket | string> {
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

  async function tunnel(asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = targetOf(asked.url ?? "");
    const opened = target ? await open(target.host, target.port) : "This is not a host and a port.";
    if (typeof opened === "string") {
      client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${opened}\n`);
      return;
    }
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    opened.write(head);
    client.pipe(opened).pipe(client);
    client.once("close", () => opened.destroy());
    opened.once("close", () => client.destroy());
  }

  async function forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = URL.canParse(asked.url ?? "") ? new URL(asked.url!) : undefined;
    if (url?.protocol !== "http:") {
      answer.writeHead(400).end("Only http: addresses and tunnels are understood.\n");
      return;
    }
    const opened = await open(url.hostname, Number(url.port || 80));
    if (typeof opened === "string") {
      answer.writeHead(403, { "content-type": "text/plain" }).end(`${opened}\n`);
      return;
    }
    const outgoing = request({
      createConnection: () => opened,
      method: asked.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...endToEnd(asked.headers), host: url.host, connection: "close" },
    });
    outgoing.once("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, endToEnd(response.headers));
      response.pipe(answer);
    });
    outgoing.once("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.once("close", () => opened.destroy());
    asked.pipe(outgoing);
  }

  const server = createServer((asked, answer) => void forward(asked, answer).catch(() => answer.destroy()));
  server.on("connect", (asked: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    sockets.add(client.once("close", () => sockets.delete(client)));
    tunnel(asked, client, head).catch(() => client.destroy());
  });
  server.on("clientError", (_, socket) => socket.destroy());
  const folder = await mkdtemp(`${tmpdir()}/haft-net-`);
  const socket = `${folder}/proxy`;
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve));
  server.unref();
  return {
    socket,
    refused: () => refused,
    async close() {
      server.close();
      server.closeAllConnections();
      for (const open of sockets) open.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
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

/** `host:port` of a CONNECT, with an IPv6 address in brackets. */
function targetOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:/?#@\s]+):(\d{1,5})$/i.exec(text) ?? [];
  const number = Number(port);
  return host !== undefined && number > 0 && number < 65_536 ? { host, port: number } : undefined;
}

/** Headers that are meant for the next station only, and those that concern the proxy. */
const PER_STATION = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/** Without what is for one station only; the bodies keep their length or are sent in pieces anew. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !PER_STATION.has(name) && !named.has(name)));
}
