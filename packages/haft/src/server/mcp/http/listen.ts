import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import {
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  legacyStatelessFallback,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import { readBody } from "../../http/body.ts";
import { bracketed, createGuard, hostsOf, type Refusal } from "../../http/guard.ts";
import type { Tokens } from "../../http/tokens.ts";
import type { ServedClient } from "../client.ts";
import type { Serving } from "../serving.ts";
import { listenedIn } from "../subscriptions.ts";
import { limitConnections } from "./connection-limit.ts";
import { paramHeaderProblem } from "./param-headers.ts";
import { createSessions } from "./sessions.ts";

export interface HttpOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absent: anyone who can reach the port may use the server. */
  readonly tokens?: Tokens;
  /** Clients of the older protocol get no session either, so the server cannot ask them anything. */
  readonly stateless?: boolean;
  /** Milliseconds for which a client may leave pending data unread. Default: one minute. */
  readonly unreadMs?: number;
  readonly onError?: (error: Error) => void;
}

export interface HttpHandle {
  readonly url: string;
  /** Closes open connections and releases the port. */
  close(): Promise<void>;
}

/** The caller of a request, in the SDK's form. */
interface Caller {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  /** In the newer protocol, the requested `method`: each request has its own server there. */
  readonly extra?: Record<string, unknown>;
}

/** The part of a request that is read here. Nothing in it is validated yet. */
interface ToolCall {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown };
}

const HEADER_MISMATCH = -32020;
const PATH = "/mcp";
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_CONNECTIONS = 1_000;
/** Maximum concurrent requests of one client. */
const MAX_IN_FLIGHT = 256;
/** Extra requests that let others end: answers, notifications, the end of a session. */
const MAX_BRIEF = 32;
const MAX_SUBSCRIPTIONS = 256;
/** Milliseconds during which the rest of a refused request is still read. */
const DRAIN_MS = 2_000;
/** Milliseconds for a request to arrive whole. Answers may take any time. */
const ARRIVAL_MS = 30_000;
/** Milliseconds until a client that reads nothing is disconnected: its pending data is held in memory. */
const UNREAD_MS = 60_000;

/** Serves over streamable HTTP: the newer protocol without sessions, the older with them. */
export async function serveHttp(serving: Serving, options: HttpOptions): Promise<HttpHandle> {
  const { host, port, tokens, unreadMs = UNREAD_MS, onError } = options;
  const guard = createGuard({ path: PATH, hosts: hostsOf(host), ...(tokens ? { tokens } : {}) });
  const protocols = openProtocols(serving, options);
  // Only sessions have streams and an end.
  const methods = options.stateless ? ["POST"] : ["GET", "POST", "DELETE"];
  const crowd = createCrowd();
  const arrived = new WeakMap<IncomingMessage, Arrival>();

  const answer = (request: Request, { incoming }: { readonly incoming: IncomingMessage }): Promise<Response> =>
    protocols.answer(request, incoming, arrived.get(incoming)!);
  const listener = getRequestListener(answer as Parameters<typeof getRequestListener>[0], {
    overrideGlobalObjects: false,
    errorHandler(thrown) {
      onError?.(errorOf(thrown));
      return refused(500, -32603, "Internal error");
    },
  });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const known = guard(incoming);
    if (!("client" in known)) return refuse(incoming, outgoing, known);
    if (!methods.includes(incoming.method ?? "")) return refuse(incoming, outgoing, unknownMethod(methods));
    const { client } = known;
    places.known(client, incoming.socket, outgoing);
    const place = crowd.enter(client);
    if (!place) return refuse(incoming, outgoing, TOO_MANY);
    outgoing.once("close", place.leave);
    outgoing.on("timeout", () => outgoing.writableNeedDrain && outgoing.destroy());
    const body = await bodyOf(incoming);
    if (body && "status" in body) return refuse(incoming, outgoing, body);
    if (place.isBeyond && !isBrief(incoming, body?.value)) return refuse(incoming, outgoing, TOO_MANY);
    arrived.set(incoming, { client, body: body?.value, outgoing });
    await listener(incoming, outgoing);
  }

  const server = createServer({ requestTimeout: ARRIVAL_MS, headersTimeout: ARRIVAL_MS }, (incoming, outgoing) => {
    handle(incoming, outgoing).catch((thrown: unknown) => {
      onError?.(errorOf(thrown));
      outgoing.destroy();
    });
  });
  const places = limitConnections(server, MAX_CONNECTIONS);
  server.timeout = unreadMs;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${bracketed(host)}:${address.port}${PATH}`,
    async close() {
      await protocols.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An accepted request: its client, and its body as JSON. */
interface Arrival {
  readonly client: string;
  readonly body: unknown;
  readonly outgoing: ServerResponse;
}

/**
 * Subscribes a listening client, until it disconnects, to the resources that it may follow. Returns its request with
 * only those.
 */
async function following(
  { body, outgoing }: Arrival,
  wanted: readonly string[],
  follows: ServedClient["follows"],
): Promise<object> {
  const can = await Promise.all(wanted.map((uri) => follows.start(uri)));
  const resourceSubscriptions = wanted.filter((_, index) => can[index]);
  const end = (): void => resourceSubscriptions.forEach(follows.end);
  if (outgoing.destroyed) end();
  else outgoing.once("close", end);
  const { params, ...request } = body as { readonly params: { readonly notifications: object } };
  const notifications = { ...params.notifications, resourceSubscriptions };
  return { ...request, params: { ...params, notifications } };
}

/** Both protocols at one address: the newer, where each request is independent, and the older with sessions. */
function openProtocols(serving: Serving, { stateless = false, tokens, onError }: HttpOptions) {
  // Without tokens all clients have the same name, which proves nothing.
  const newClient = (name: string): ServedClient => serving.client(name, { isProven: tokens !== undefined });
  const sessions = createSessions(serving, newClient);
  const clients = new Map<string, ServedClient>();

  /** Without sessions, a token identifies the client. */
  function clientNamed(name: string): ServedClient {
    const known = clients.get(name);
    if (known) return known;
    const client = newClient(name);
    clients.set(name, client);
    return client;
  }

  const factory =
    (isFleeting: boolean) =>
    ({ authInfo }: { readonly authInfo?: Caller }) =>
      serving.server(clientNamed(authInfo?.clientId ?? ""), { isFleeting, method: authInfo?.extra?.method }).server;
  const errors = onError ? { onerror: onError } : {};
  const modern = createMcpHandler(factory(false), { legacy: "reject", maxSubscriptions: MAX_SUBSCRIPTIONS, ...errors });
  const sessionless = legacyStatelessFallback(factory(true), onError);
  const unwatch = serving.watch((change) => {
    sessions.tell(change);
    modern.bus.publish(
      change.kind === "resource"
        ? { kind: "resource_updated", uri: change.uri }
        : { kind: `${change.kind}_list_changed` },
    );
  });

  return {
    async answer(request: Request, incoming: IncomingMessage, arrival: Arrival) {
      const { client, body: parsedBody, outgoing } = arrival;
      const authInfo: Caller = { token: "", clientId: client, scopes: [] };
      const given: { authInfo: Caller; parsedBody?: unknown } = {
        authInfo,
        ...(parsedBody === undefined ? {} : { parsedBody }),
      };
      if (isSurelyModern(parsedBody) || !(await isLegacyRequest(request, parsedBody))) {
        const asked = (parsedBody ?? {}) as ToolCall;
        given.authInfo = { ...authInfo, extra: { method: asked.method } };
        const wrong = paramProblem(serving, asked, incoming);
        if (wrong && (await mayKnow(clientNamed(client), wrong.tool))) return wrong.answer;
        const wanted = listenedIn(parsedBody);
        return modern.fetch(
          request,
          wanted ? { ...given, parsedBody: await following(arrival, wanted, clientNamed(client).follows) } : given,
        );
      }
      if (stateless) return sessionless(request, given);
      const id = incoming.headers["mcp-session-id"];
      if (typeof id === "string") {
        const session = sessions.find(id, client, outgoing);
        return session ? session.transport.handleRequest(request, given) : refused(404, -32001, "Session not found");
      }
      if (!isInitializeRequest(parsedBody))
        return refused(400, -32000, "Bad Request: Mcp-Session-Id header is required");
      const { transport } = await sessions.open(client);
      return transport.handleRequest(request, given);
    },
    async close(): Promise<void> {
      unwatch();
      for (const client of clients.values()) client.close();
      await Promise.all([sessions.close(), modern.close()]);
    },
  };
}

/** A malformed call of a denied tool must not reveal the tool: it is refused like any other call. */
const mayKnow = async ({ haft }: ServedClient, tool: string): Promise<boolean> =>
  (await haft.offer()).tools.some(({ entry }) => entry === haft.registry.get(tool));

/** The SDK compares the other headers with the body; only a tool's schema says which arguments are sent as headers. */
function paramProblem(serving: Serving, { id, method, params }: ToolCall, { headers }: IncomingMessage) {
  const tool = params?.name ?? "";
  const schema = method === "tools/call" ? serving.inputSchema(tool) : undefined;
  const problem = schema && paramHeaderProblem(schema, params?.arguments, headers);
  if (problem === undefined) return undefined;
  const error = { code: HEADER_MISMATCH, message: `Bad Request: the request headers and body disagree: ${problem}` };
  return { tool, answer: Response.json({ jsonrpc: "2.0", error, id: id ?? null }, { status: 400 }) };
}

/** Counts the concurrent requests of each client. */
function createCrowd() {
  const inFlight = new Map<string, number>();
  return {
    /** `undefined`: the client has too many already. `isBeyond`: only brief requests are accepted. */
    enter(client: string): { readonly isBeyond: boolean; leave(): void } | undefined {
      const busy = (inFlight.get(client) ?? 0) + 1;
      if (busy > MAX_IN_FLIGHT + MAX_BRIEF) return undefined;
      inFlight.set(client, busy);
      return { isBeyond: busy > MAX_IN_FLIGHT, leave: () => inFlight.set(client, inFlight.get(client)! - 1) };
    },
  };
}

/** Whether a request waits for nothing that may take long: an answer, a notification, the end of a session. */
function isBrief(incoming: IncomingMessage, body: unknown): boolean {
  const { id, method } = (body ?? {}) as ToolCall;
  const isSaid = incoming.method === "POST" && !Array.isArray(body) && (id === undefined || method === undefined);
  return isSaid || incoming.method === "DELETE";
}

const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** A request that states its version never belongs to the older protocol, whatever else it says. */
const isSurelyModern = (body: unknown): boolean =>
  (body as Body | undefined)?.params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined;

interface Body {
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
}

const TOO_MANY: Refusal = {
  status: 429,
  message: "Too many requests of this client are in progress. Wait for some of them.",
  headers: { "Retry-After": "1" },
};

const unknownMethod = (methods: readonly string[]): Refusal => ({
  status: 405,
  message: `Method not allowed. This server takes ${methods.join(", ")}.`,
  headers: { Allow: methods.join(", ") },
});

/** The body of a request that has one, as JSON. */
async function bodyOf(incoming: IncomingMessage): Promise<{ readonly value: unknown } | Refusal | undefined> {
  if (incoming.method !== "POST") return undefined;
  if (!isJsonContentType(incoming.headers["content-type"] ?? null))
    return { status: 415, message: "Unsupported Media Type: Content-Type must be application/json" };
  const text = await readBody(incoming, MAX_BODY_BYTES);
  if (text === undefined) return { status: 413, message: `The request is larger than ${MAX_BODY_BYTES} bytes.` };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { status: 400, message: "Parse error: Invalid JSON" };
  }
}

const refused = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });

/**
 * Refuses a request. A client that is still sending reads no answer, so the rest is read and dropped for a short while.
 */
async function refuse(incoming: IncomingMessage, outgoing: ServerResponse, refusal: Refusal): Promise<void> {
  const { status, message, headers } = refusal;
  if (!incoming.complete) {
    incoming.resume();
    await once(incoming, "end", { signal: AbortSignal.timeout(DRAIN_MS) }).catch(() => {});
  }
  const code = status === 400 ? -32700 : -32000;
  // Unread data must not be parsed as the next request.
  const end = incoming.complete ? {} : { Connection: "close" };
  outgoing.writeHead(status, { "Content-Type": "application/json", ...headers, ...end });
  outgoing.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}
