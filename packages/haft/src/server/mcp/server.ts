import type { Entry } from "@haft/core/registry";
import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type LinkTo, mcpResult } from "./call-result.ts";
import type { ServedClient } from "./client.ts";
import { type Abilities, abilitiesOf, callerOf } from "./client-calls.ts";
import type { Asking, Round, Started, TalkState } from "./client-questions.ts";
import { allContent, type ContentChange, type McpContent, type Visit } from "./content.ts";
import { rememberLink } from "./gateway/links.ts";
import type { ClientNotices } from "./notices.ts";
import type { PlainCall } from "./stdio/plain-call.ts";
import type { Follows } from "./subscriptions.ts";
import { mcpTools, outputSchema } from "./tool-list.ts";

export interface ServerOptions {
  readonly version: string;
  /** Prompts and resources in addition to the client's own results. */
  readonly content?: McpContent;
  readonly codec: RequestStateCodec<TalkState>;
  /** Milliseconds that a client has to answer. */
  readonly patienceMs: number;
  /** The server lives for one request only, and reports no changes. */
  readonly isFleeting?: boolean;
  /** The server is for one request with this method. Default: for all requests. */
  readonly method?: unknown;
}

/**
 * Maximum rounds of questions in one call, in the older protocol; in the newer one the client decides how long it
 * answers.
 */
const MAX_ROUNDS = 100;

/** A server for one client. */
export interface ClientServer {
  readonly server: Server;
  /**
   * Starts a call of the older protocol that the SDK's server has not seen. If the result is `undefined`, the call
   * wants to ask something: the server continues it when it gets the request.
   */
  start(call: PlainCall): Started<CallToolResult>;
}

/**
 * Creates an unconnected server for one client. It keeps no state outside the client: where the protocol has no
 * sessions, every request gets its own server.
 */
export function createServer(client: ServedClient, options: ServerOptions): ClientServer {
  const { content } = options;
  const hasPrompts = content?.prompts !== undefined;
  const changes = content?.watch !== undefined && !options.isFleeting;
  const server = new Server(
    { name: "haft", title: "Haft", version: options.version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: changes ? { listChanged: true, subscribe: true } : {},
        logging: {},
        ...(hasPrompts ? { prompts: { listChanged: changes } } : {}),
        ...(content?.complete ? { completions: {} } : {}),
      },
      instructions: "Calls are decided by the rules of the user. Refused calls name the rule that would allow them.",
      requestState: { verify: (state, ctx) => options.codec.verify(state, ctx) },
      inputRequired: { maxRounds: MAX_ROUNDS, roundTimeoutMs: options.patienceMs },
    },
  );

  // An older client that has set no level has not asked for messages.
  let level: LoggingLevel | undefined;
  const connected: Connected = { server, client, wantsMessages: () => level === "debug" || level === "info" };
  server.setRequestHandler("tools/call", ({ params }, ctx) =>
    converse(client, ctx, params, (asking) => callTool(connected, abilitiesOf(server, ctx.mcpReq), params, asking)),
  );
  // If each request has its own server, nearly all are calls, and setting up the other handlers would be mostly wasted.
  if (options.method !== "tools/call") {
    server.setRequestHandler("logging/setLevel", async ({ params }) => {
      level = params.level;
      client.notices?.follow(
        () => level,
        (level, data, logger) => server.sendLoggingMessage({ level, data, logger }),
      );
      return {};
    });
    serveContent(server, client, content, changes);
  }
  let abilities: Abilities | undefined;
  return {
    server,
    start({ id, params }) {
      const { _meta, ...subject } = params;
      const round: Round = {
        ...(_meta ? { _meta } : {}),
        log: (level, data, logger) => server.sendLoggingMessage({ level, data, ...(logger ? { logger } : {}) }),
        notify: (notification) => server.notification(notification),
      };
      // An older client states its capabilities once.
      abilities ??= abilitiesOf(server, round);
      const known = abilities;
      return client.talks.start(id, subject, round, (asking) => callTool(connected, known, params, asking));
    },
  };
}

/** Serves all requests except calls. */
function serveContent(server: Server, client: ServedClient, content: McpContent | undefined, changes: boolean): void {
  server.setRequestHandler("tools/list", async () => {
    await client.whenReady();
    return { tools: mcpTools((await client.haft.offer()).tools) };
  });
  const all = content ? allContent([client.results, content]) : client.results;
  serveResources(server, client, all, changes);
  if (content?.prompts) servePrompts(server, client, content);
  if (!content?.complete) return;
  server.setRequestHandler("completion/complete", async ({ params }) => {
    const values = await content.complete?.(params);
    if (!values) throw invalid("Nothing can be completed under this name.", params.ref);
    return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
  });
}

/** Serves a request in as many rounds as it needs. */
async function converse<R extends object>(
  { talks }: ServedClient,
  ctx: ServerContext,
  params: object,
  work: (asking: Asking) => Promise<R>,
): Promise<R | InputRequiredResult> {
  const { _meta, ...subject } = params as Readonly<Record<string, unknown>>;
  const answer = await talks.serve(subject, ctx, work);
  if (answer) return answer;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}

interface Connected {
  readonly server: Server;
  readonly client: ServedClient;
  wantsMessages(): boolean;
}

function callTool(
  { server, client, wantsMessages }: Connected,
  abilities: Abilities,
  { name, arguments: input = {} }: CallToolRequest["params"],
  asking: Asking,
): Promise<CallToolResult> {
  const { haft, clientCalls, results, notices } = client;
  return clientCalls.attend(name, asking, abilities, wantsMessages, async (id, caller) => {
    const request = { id, tool: name, input, caller, ...client.approval?.(name, input) };
    const [outcome] = await haft.run([request], { signal: asking.signal });
    if (notices) tellNews(notices, asking.round());
    const entry = haft.registry.get(name);
    const output = entry && outputSchema(entry);
    const hasLinks = knowsLinks(server);
    const result = mcpResult(outcome!, entry, hasLinks ? linksOf(client, entry) : undefined);
    const { spilled } = outcome!.result;
    const link = spilled && hasLinks ? [results.add(spilled, outcome!.call.tool)] : [];
    const whole = link.length > 0 ? { ...result, content: [...result.content, ...link] } : result;
    return output ? server.projectCallToolResult(whole, output) : whole;
  });
}

/** The address where a client reads the target of a tool's link: for an upstream server, its own resource. */
function linksOf({ haft }: ServedClient, entry: Entry | undefined): LinkTo {
  return (uri) => (entry?.source.origin === "mcp" ? rememberLink(haft, entry.source.name, uri) : uri);
}

/** A newer client says with each request whether it wants messages. */
function tellNews(notices: ClientNotices, { envelope, log }: Round): void {
  const said: Readonly<Record<string, unknown>> | undefined = envelope;
  if (said?.[LOG_LEVEL_META_KEY] !== undefined) notices.catchUp(log);
}

/** Calls made for a prompt or resource report no news. */
const silent = (): boolean => false;

function visitOf(server: Server, { haft, clientCalls }: ServedClient, ctx: ServerContext, asking: Asking): Visit {
  const abilities = abilitiesOf(server, ctx.mcpReq);
  return {
    haft,
    caller: callerOf(asking, abilities.can),
    call: (tool, input) =>
      clientCalls.attend(tool, asking, abilities, silent, async (id, caller) => {
        const [outcome] = await haft.run([{ id, tool, input, caller }], { signal: asking.signal });
        return outcome!.result;
      }),
  };
}

/** Links to resources exist since the protocol of June 2025. */
const knowsLinks = (server: Server): boolean => (server.getNegotiatedProtocolVersion() ?? "") >= "2025-06-18";

function serveResources(
  server: Server,
  client: ServedClient,
  content: Pick<McpContent, "resources" | "templates" | "read">,
  subscribable: boolean,
): void {
  server.setRequestHandler("resources/list", async () => {
    await client.whenReady();
    return { resources: [...((await content.resources?.(client.haft)) ?? [])] };
  });
  server.setRequestHandler("resources/templates/list", async () => {
    await client.whenReady();
    return { resourceTemplates: [...((await content.templates?.(client.haft)) ?? [])] };
  });
  server.setRequestHandler("resources/read", ({ params }, ctx) =>
    converse(client, ctx, params, async (asking) => {
      await client.whenReady();
      const found = await content.read?.(params.uri, visitOf(server, client, ctx, asking));
      if (!found) throw invalid("Resource not found", { uri: params.uri });
      return found;
    }),
  );
  if (!subscribable) return;
  const { follows } = client;
  // A second subscribe changes nothing. An unsubscribe cancels a subscribe that is still pending.
  const asked = new Map<string, { isFollowed: boolean }>();
  subscribed.set(server, follows);
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    if (asked.has(uri)) return {};
    const own = { isFollowed: false };
    asked.set(uri, own);
    const isFollowed = await follows.start(uri);
    if (asked.get(uri) === own) own.isFollowed = isFollowed;
    else if (isFollowed) follows.end(uri);
    if (isFollowed) return {};
    if (asked.get(uri) === own) asked.delete(uri);
    throw invalid("This resource does not support subscriptions, or there are too many.", { uri });
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    if (asked.get(uri)?.isFollowed) follows.end(uri);
    asked.delete(uri);
    return {};
  });
}

/** The resource subscriptions of a connection's client. */
const subscribed = new WeakMap<Server, Pick<Follows, "has">>();

/** Notifies a connected client of a change; of a single resource only if it has subscribed. */
export function tellChange(server: Server, change: ContentChange): void {
  if (change.kind === "resource" && !subscribed.get(server)?.has(change.uri)) return;
  const notice =
    change.kind === "resource"
      ? { method: "notifications/resources/updated", params: { uri: change.uri } }
      : { method: `notifications/${change.kind}/list_changed` };
  // A disconnected client gets nothing more.
  void server.notification(notice).catch(() => {});
}

function servePrompts(server: Server, client: ServedClient, content: McpContent): void {
  server.setRequestHandler("prompts/list", async () => ({ prompts: [...((await content.prompts?.()) ?? [])] }));
  server.setRequestHandler("prompts/get", ({ params }, ctx) =>
    converse(client, ctx, params, async (asking) => {
      const visit = visitOf(server, client, ctx, asking);
      const found = await content.prompt?.(params.name, params.arguments ?? {}, visit);
      if (!found) throw invalid(`There is no prompt "${params.name}".`, { name: params.name });
      return found;
    }),
  );
}

const invalid = (message: string, data: object): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
