// A web server of this machine that counts what reaches it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer of a server: a page, an answer with headers, or a function that writes one. */
export type Reply =
  | string
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface WebServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:1234` */
  readonly origin: string;
  /** Every request that arrived, as `GET /path`. */
  readonly requests: readonly string[];
  /** The headers of the last request. */
  headers(): IncomingMessage["headers"];
  /** Replaces or adds a path. */
  serve(path: string, reply: Reply): void;
}

/** A server on an address of this machine. An unknown path is a 404. */
export async function webServer(
  pages: Readonly<Record<string, Reply>> = {},
  address = "127.0.0.1",
): Promise<WebServer> {
  const replies = new Map(Object.entries(pages));
  const requests: string[] = [];
  let last: IncomingMessage["headers"] = {};
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    last = request.headers;
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const reply = replies.get(path) ?? replies.get("*") ?? { status: 404, body: "not found" };
    if (typeof reply === "function") return reply(request, response);
    const { status = 200, headers = {}, body = "" } = typeof reply === "string" ? { body: reply } : reply;
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  const host = address.includes(":") ? `[${address}]` : address;
  return {
    host,
    port,
    origin: `http://${host}:${port}`,
    requests,
    headers: () => last,
    serve: (path, reply) => void replies.set(path, reply),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
