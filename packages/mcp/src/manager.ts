import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { HaftError, type ToolError } from "@haft/core/tool";
import { createWatchdog } from "@haft/host/process";
import { openTokenStore } from "./auth/token-store.ts";
import { createEraStore } from "./connection/era-store.ts";
import type { Surroundings } from "./connection/open.ts";
import { openPins } from "./definition/pins.ts";
import { listRemoteResources } from "./definition/resource-list.ts";
import { createMember, type Member } from "./managed-server.ts";
import { promptsOf } from "./managed-server-prompts.ts";
import type { McpManager, McpManagerOptions, McpStatus, ResourceChange } from "./manager-options.ts";
import { resourceTools } from "./resource-tools.ts";
import { startsInTurn } from "./starts-in-turn.ts";
import { createSpellings, toolNameOf } from "./tool-name.ts";
import { SERVER_MARK } from "./transport/server-process.ts";

const MiB = 1024 * 1024;

/** Makes a manager. Nothing is started until a server is added. */
export function createMcpManager(options: McpManagerOptions): McpManager {
  const { registry } = options;
  const members = new Map<string, Member>();
  const watchdog = createWatchdog(`${SERVER_MARK}=${randomUUID()}.`);
  const spellings = createSpellings();
  const listeners = new Set<() => void>();
  const resourceListeners = new Set<(change: ResourceChange) => void>();
  const around = surroundingsOf(options, watchdog);
  const pins = openPins(options.pinFile, options);
  const queued = new Set<Member>();
  const inTurn = startsInTurn(options.quiet);
  let leaving: Promise<unknown> = Promise.resolve();
  let own: { remove(): void } | undefined;

  function changed(): void {
    for (const listener of listeners) listener();
    const hasResources = [...members.values()].some((member) => member.hasResources);
    if (hasResources && !own)
      own = registry.add({ origin: "builtin", name: "haft" }, resourceTools({ manager, withResources }));
    if (!hasResources) {
      own?.remove();
      own = undefined;
    }
  }

  const withResources = (): readonly string[] =>
    [...members.values()].filter((member) => member.hasResources).map(({ server }) => server.name);

  function memberOf(name: string): Member {
    const member = members.get(name);
    if (member) return member;
    throw new HaftError({
      code: "mcp_error",
      message: `There is no MCP server "${name}".`,
      hint: `Known servers: ${[...members.keys()].join(", ") || "none"}.`,
    });
  }

  /** A server that waits for its turn to start counts as connecting. */
  function statusOf(member: Member): McpStatus {
    const status = member.status();
    return queued.has(member) && status.state === "stopped" ? { ...status, state: "connecting" } : status;
  }

  const memberPrompts = promptsOf({
    ready: () => [...members.values()].filter((member) => member.isReady),
    named: memberOf,
  });
  const isSettled = (): boolean => queued.size === 0 && [...members.values()].every((member) => !member.isOnItsWay);

  function start(member: Member): void {
    queued.add(member);
    inTurn(() => {
      if (!queued.delete(member)) return undefined;
      const connected = member.connect().catch(() => {});
      changed();
      return connected;
    });
  }

  /** Ends a member, also one that has not started. `close` waits for it, even if nobody else does. */
  function leave(member: Member): Promise<void> {
    queued.delete(member);
    const end = member.end();
    leaving = Promise.all([leaving, end]);
    return end;
  }

  const manager: McpManager = {
    add(server, { connect = server.enabled !== false } = {}) {
      const before = members.get(server.name);
      if (before) void leave(before);
      const member = createMember(server, {
        options,
        around,
        pins,
        spellings,
        registry,
        onChange: changed,
        onResource: (uri) => {
          for (const listener of resourceListeners)
            listener({ server: server.name, ...(uri === undefined ? {} : { uri }) });
        },
        refreshOthers: (names) => {
          for (const name of names) members.get(name)?.register();
        },
      });
      members.set(server.name, member);
      if (connect) start(member);
    },
    async remove(name) {
      const member = members.get(name);
      members.delete(name);
      if (member) await leave(member);
      changed();
      return member !== undefined;
    },
    disconnect: (name) => leave(memberOf(name)),
    connect: (name) => memberOf(name).connect(),
    async relist(signal = new AbortController().signal) {
      const wanted = [...members.values()].filter(({ server }) => server.enabled !== false);
      const say = (member: Member) => (thrown: unknown) =>
        member.log.add(`[list of tools] ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
      await Promise.all(wanted.map((member) => member.relist(signal).catch(say(member))));
    },
    list: () => [...members.values()].map(statusOf),
    logs: (name) => memberOf(name).log.lines(),
    settled: (ms) => until(listeners, isSettled, ms),
    awaitTool: (name, ms) => until(listeners, () => registry.get(name) !== undefined || isSettled(), ms),
    whyMissing(name) {
      const member = [...members.values()].find(({ server }) => name.startsWith(toolNameOf(server.name, "")));
      return member && missingBecause(statusOf(member), name);
    },
    ...memberPrompts,
    follow: (name, uri) => members.get(name)?.follow(uri),
    onResource(listener) {
      resourceListeners.add(listener);
      return () => void resourceListeners.delete(listener);
    },
    ready: async (name) => void (await memberOf(name).live()),
    resources: (name, kind, limits) =>
      memberOf(name).request(limits.signal ?? new AbortController().signal, async ({ client }) =>
        client.getServerCapabilities()?.resources ? (await listRemoteResources(client, kind, limits)).entries : [],
      ),
    resource: (name, uri, signal) =>
      memberOf(name).request(signal, async ({ client }) => {
        const { contents } = await client.readResource({ uri }, { signal });
        return contents;
      }),
    live: (name) => memberOf(name).live(),
    request: (name, signal, make) => memberOf(name).request(signal, make),
    read: (name, uri, ctx) => memberOf(name).read(uri, ctx),
    async close() {
      const all = [...members.values()];
      members.clear();
      for (const member of all) void leave(member);
      await leaving;
      changed();
      watchdog.close();
    },
  };
  return manager;
}

/** The parts that all connections of a manager share. */
const surroundingsOf = (options: McpManagerOptions, watchdog: Surroundings["watchdog"]): Surroundings => ({
  client: options.client ?? { name: "haft", version: "0" },
  roots: (options.folders ?? [options.cwd]).map((folder) => ({
    uri: pathToFileURL(folder).href,
    name: basename(folder) || folder,
  })),
  watchdog,
  tokens: openTokenStore(options.tokenFile, options),
  ...(options.browser ? { browser: options.browser } : {}),
  eras: createEraStore(options.eraFile, options),
  ...(options.quiet ? { quiet: options.quiet } : {}),
  maxMessageBytes: options.maxMessageBytes ?? 32 * MiB,
  startTimeoutMs: options.startTimeoutMs ?? 30_000,
  ...(options.elicit ? { elicit: options.elicit } : {}),
  ...(options.sample ? { sample: options.sample } : {}),
});

/** Waits until `isDone`, which every change checks again, or until the timeout. */
function until(changes: Set<() => void>, isDone: () => boolean, ms: number | undefined): Promise<void> {
  if (isDone()) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      changes.delete(look);
      clearTimeout(timer);
      resolve();
    };
    const look = (): void => {
      if (isDone()) end();
    };
    const timer = ms === undefined ? undefined : setTimeout(end, ms);
    changes.add(look);
  });
}

/** The message for a call to a tool of a server that is not ready. If the server is ready, the tool itself is the problem. */
function missingBecause({ server, state, error }: McpStatus, tool: string): ToolError | undefined {
  if (state === "ready") return undefined;
  const { name } = server;
  const why = error?.message ?? `The MCP server "${name}" is ${server.enabled === false ? "disabled" : state}.`;
  return {
    code: "tool_unavailable",
    message: `${tool} is not available. ${why}`,
    hint: error?.hint ?? `Use another tool, or tell the user: haft mcp get ${name} shows the server's state.`,
    details: { server: name },
  };
}
