import { randomBytes } from "node:crypto";
import { createToolFilter, modeNamed, type ServerClientSettings } from "@haft/core/policy";
import type { Entry } from "@haft/core/registry";
import { policyToolOf } from "@haft/core/registry";
import { createRequestStateCodec } from "@modelcontextprotocol/server";
import type { Haft } from "../../app/haft.ts";
import type { NoticeBoard } from "../../app/notice.ts";
import type { ServedClient } from "./client.ts";
import type { ClientCalls } from "./client-calls.ts";
import { createTalks, type TalkState } from "./client-questions.ts";
import type { ContentChange, McpContent } from "./content.ts";
import { serversBegun } from "./gateway/servers-begun.ts";
import { noticesFor } from "./notices.ts";
import { createResultStore, type KeptResults } from "./results.ts";
import { type ClientServer, createServer, type ServerOptions } from "./server.ts";
import { createFollows } from "./subscriptions.ts";

export interface ServingOptions {
  readonly haft: Haft;
  /** The clientCalls to which Haft sends approvals, so that they reach the client that made the call. */
  readonly clientCalls: ClientCalls;
  readonly version: string;
  readonly content?: McpContent;
  /** The origin of the served tools. Default: the setting `server.tools`, else Haft's own. */
  readonly tools?: "own" | "servers" | "all";
  /** Notices for clients that want log messages. Default: none. */
  readonly notices?: NoticeBoard;
  /** Milliseconds that a client has to answer. Default: ten minutes. */
  readonly patienceMs?: number;
  /** The approval that the host of the client already has for a call. */
  readonly approval?: ServedClient["approval"];
}

/** The part of a server that all transports share. */
export interface Serving {
  /**
   * Creates a client under the profile of its name. `isProven`: the name is authenticated, so all clients with it are
   * one user.
   */
  client(name: string, options?: { readonly isProven?: boolean }): ServedClient;
  /** Creates an unconnected server for a client. */
  server(client: ServedClient, options?: Pick<ServerOptions, "isFleeting" | "method">): ClientServer;
  /** The input schema of a tool. */
  inputSchema(tool: string): object | undefined;
  /** Reports changes in the served content until the returned function is called. */
  watch(listener: (change: ContentChange) => void): () => void;
}

const PATIENCE_MS = 600_000;
const MAX_WAITING = 32;

/**
 * Milliseconds in which the same change is reported once: servers add all tools at once, and some report without end.
 */
const CALM_MS = 50;

export function createServing({
  haft,
  clientCalls,
  version,
  content,
  tools,
  notices,
  patienceMs = PATIENCE_MS,
  approval,
}: ServingOptions): Serving {
  const codec = createRequestStateCodec<TalkState>({
    key: randomBytes(32),
    ttlSeconds: Math.ceil(patienceMs / 1000),
    bind: (ctx) => ctx.mcpReq.method,
  });
  haft.on((event) => clientCalls.hear(event), ["tool:execution:start", "tool:execution:progress"]);
  const whose = tools ?? haft.serving.tools ?? "own";
  const whenReady = whose === "own" ? async () => {} : serversBegun(haft);
  const results = new Map<string, KeptResults>();
  function resultsOf(name: string): KeptResults {
    const known = results.get(name) ?? new Map();
    results.set(name, known);
    return known;
  }
  let count = 0;
  return {
    client(name, { isProven = false } = {}) {
      const talks = createTalks({ codec, patienceMs, maxWaiting: MAX_WAITING });
      const own = narrowed(haft, `client-${++count}`, name, whose);
      const follows = createFollows(content ?? {}, own);
      return {
        haft: own,
        clientCalls,
        follows,
        talks,
        results: createResultStore(isProven ? resultsOf(name) : undefined),
        whenReady,
        ...(notices ? { notices: noticesFor(notices) } : {}),
        ...(approval ? { approval } : {}),
        close() {
          talks.close();
          follows.close();
        },
      };
    },
    server: (client, options) =>
      createServer(client, { version, codec, patienceMs, ...(content ? { content } : {}), ...options }),
    inputSchema: (tool) => haft.registry.get(tool)?.tool.input.json,
    watch(listener) {
      const news = new Map<string, ContentChange>();
      let soon: NodeJS.Timeout | undefined;
      function tell(change: ContentChange): void {
        news.set(JSON.stringify(change), change);
        soon ??= setTimeout(() => {
          soon = undefined;
          const all = [...news.values()];
          news.clear();
          for (const one of all) listener(one);
        }, CALM_MS).unref();
      }
      const ends = [haft.registry.watch(() => tell({ kind: "tools" })), content?.watch?.(tell)];
      return () => {
        clearTimeout(soon);
        for (const end of ends) end?.();
      };
    },
  };
}

/** Haft as restricted for one client: by the profile of its name, else by the default profile (`*`). */
function narrowed(haft: Haft, id: string, name: string, whose: "own" | "servers" | "all"): Haft {
  const { clients = {} } = haft.serving;
  const named = (key: string): ServerClientSettings | undefined =>
    Object.hasOwn(clients, key) ? clients[key] : undefined;
  const { rules, mode, ...lists } = named(name) ?? named("*") ?? {};
  const filter = createToolFilter([{ origin: "user", file: "server.clients", ...lists }]);
  const strict = mode === undefined ? undefined : modeNamed(mode);
  const unread = unreadServers(haft, lists.deny ?? []);
  return haft.with({
    agent: { id, name },
    apart: true,
    only: (entry) => isServed(entry, whose) && !filter.exclusion(policyToolOf(entry)),
    rules: { ...rules, deny: [...(rules?.deny ?? []), ...unread] },
    ...(strict ? { mode: strict } : {}),
  });
}

/**
 * Rules for servers whose tools are all removed from a client's list: the client cannot read their resources or learn
 * of them.
 */
function unreadServers({ mcp }: Haft, denied: readonly string[]): string[] {
  const filter = createToolFilter([{ deny: denied }]);
  return mcp.list().flatMap(({ server: { name } }) => {
    const any = { name: `mcp__${name}__resources`, origin: "mcp", server: name, remoteName: "resources" } as const;
    return filter.exclusion(any) ? [`call(${name}/*)`] : [];
  });
}

const isServed = ({ source }: Entry, whose: "own" | "servers" | "all"): boolean =>
  whose === "all" || (source.origin === "mcp") === (whose === "servers");
