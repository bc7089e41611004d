import { randomBytes } from "node:crypto";
import { createToolFilter, modeNamed, type ServerClientSettings } from "@haft/core/policy";
import type { Entry } from "@haft/core/registry";
import { createRequestStateCodec } from "@modelcontextprotocol/server";
import type { Haft } from "../../app/haft.ts";
import type { NoticeBoard } from "../../app/notice.ts";
import { policyTool } from "../../app/setup/offering.ts";
import type { ServedClient } from "./client.ts";
import type { ContentChange, McpContent } from "./content.ts";
import type { Desk } from "./desk.ts";
import { createFollows } from "./follows.ts";
import { serversBegun } from "./gateway/servers-begun.ts";
import { noticesFor } from "./notices.ts";
import { createResultStore, type KeptResults } from "./results.ts";
import { type ClientServer, createServer, type ServerOptions } from "./server.ts";
import { createTalks, type TalkState } from "./talk.ts";

export interface ServingOptions {
  readonly haft: Haft;
  /** The one that Haft asks: where its approvals find the client that made the call. */
  readonly desk: Desk;
  readonly version: string;
  readonly content?: McpContent;
  /** Whose tools are served. Default: what the settings say (`server.tools`), else Haft's own. */
  readonly tools?: "own" | "servers" | "all";
  /** Told to clients that want log messages. Default: clients hear none. */
  readonly notices?: NoticeBoard;
  /** Milliseconds that a client has for an answer. Default ten minutes. */
  readonly patienceMs?: number;
}

/** What all transports of a server share. */
export interface Serving {
  /** A client under the profile of its name. `isProven`: the name is its own, so all that bear it are one user. */
  client(name: string, options?: { readonly isProven?: boolean }): ServedClient;
  /** A server for one of them, not yet connected. */
  server(client: ServedClient, options?: Pick<ServerOptions, "isFleeting" | "method">): ClientServer;
  /** The input that a tool takes. */
  inputSchema(tool: string): object | undefined;
  /** Tells of changes in what is served, until the returned function is called. */
  watch(listener: (change: ContentChange) => void): () => void;
}

const PATIENCE_MS = 600_000;
const MAX_WAITING = 32;

/** Milliseconds in which the same change is news once: servers come with all their tools at once, and some tell without end. */
const CALM_MS = 50;

export function createServing({
  haft,
  desk,
  version,
  content,
  tools,
  notices,
  patienceMs = PATIENCE_MS,
}: ServingOptions): Serving {
  const codec = createRequestStateCodec<TalkState>({
    key: randomBytes(32),
    ttlSeconds: Math.ceil(patienceMs / 1000),
    bind: (ctx) => ctx.mcpReq.method,
  });
  haft.on((event) => desk.hear(event), ["tool:execution:start", "tool:execution:progress"]);
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
        desk,
        follows,
        talks,
        results: createResultStore(isProven ? resultsOf(name) : undefined),
        whenReady,
        ...(notices ? { notices: noticesFor(notices) } : {}),
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

/** Haft as one client may use it: under the profile of its name, else that of everybody (`*`). */
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
    only: (entry) => isServed(entry, whose) && !filter.exclusion(policyTool(entry)),
    rules: { ...rules, deny: [...(rules?.deny ?? []), ...unread] },
    ...(strict ? { mode: strict } : {}),
  });
}

/** Rules by which a client from whose list a server's tools are all taken cannot read what it holds, or hear of it, either. */
function unreadServers({ mcp }: Haft, denied: readonly string[]): string[] {
  const filter = createToolFilter([{ deny: denied }]);
  return mcp.list().flatMap(({ server: { name } }) => {
    const any = { name: `mcp__${name}__resources`, origin: "mcp", server: name, remoteName: "resources" } as const;
    return filter.exclusion(any) ? [`call(${name}/*)`] : [];
  });
}

const isServed = ({ source }: Entry, whose: "own" | "servers" | "all"): boolean =>
  whose === "all" || (source.origin === "mcp") === (whose === "servers");
