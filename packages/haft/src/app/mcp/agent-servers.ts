import { createRegistry, type Registry } from "@haft/core/registry";
import type { AgentRef } from "@haft/core/tool";
import type { McpManager, McpServer } from "@haft/mcp";
import type { Parts } from "../public-api.ts";

/** Opens servers whose tools go into this registry; a question before their start names the agent. */
export type OpenServers = (servers: readonly McpServer[], registry: Registry, agent: AgentRef) => McpManager;

/** The parts of an agent with servers of its own. */
export interface AgentServers {
  readonly parts: Pick<Parts, "machine" | "executor" | "mcp" | "initialToolList">;
  /** Ends the servers. */
  close(): Promise<void>;
}

/** Starts the servers of an agent's file. Their tools exist in this agent and in those that it starts. */
export function agentServers(
  parts: Parts,
  servers: readonly McpServer[],
  open: OpenServers,
  signal: AbortSignal | undefined,
): AgentServers {
  const { machine, executor, mcp: session, initialToolList } = parts;
  const registry = createRegistry();
  const own = open(servers, registry, machine.agent);
  const started = Promise.allSettled(
    servers.filter(({ enabled }) => enabled !== false).map(({ name }) => own.connect(name)),
  );
  const stopped = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
  const changes = {
    registry: layered(registry, machine.registry),
    whyMissing: (tool: string) => own.whyMissing(tool) ?? machine.whyMissing?.(tool),
  };
  const names = new Set(servers.map(({ name }) => name));
  return {
    parts: {
      machine: { ...machine, ...changes },
      executor: executor.with(changes),
      mcp: both(own, session, names),
      initialToolList: {
        ...initialToolList,
        // Without its servers the agent could not do what it is for. A person may have to agree to their start.
        ready: async () => void (await Promise.race([Promise.all([started, initialToolList.ready(session)]), stopped])),
      },
    },
    close: () => own.close(),
  };
}

/** The servers of an agent, then those of the session. */
function both(own: McpManager, session: McpManager, names: ReadonlySet<string>): McpManager {
  const of = (name: string): McpManager => (names.has(name) ? own : session);
  return {
    ...session,
    disconnect: (name) => of(name).disconnect(name),
    connect: (name) => of(name).connect(name),
    list: () => [...own.list(), ...session.list()],
    logs: (name) => of(name).logs(name),
    settled: async (ms) => void (await Promise.all([own.settled(ms), session.settled(ms)])),
    awaitTool: async (name, ms) => {
      await own.awaitTool(name, ms);
      if (own.whyMissing(name) === undefined) await session.awaitTool(name, ms);
    },
    whyMissing: (name) => own.whyMissing(name) ?? session.whyMissing(name),
    follow: (name, uri) => of(name).follow(name, uri),
    ready: (name) => of(name).ready(name),
    resources: (name, ...more) => of(name).resources(name, ...more),
    resource: (name, ...more) => of(name).resource(name, ...more),
    request: (name, ...more) => of(name).request(name, ...more),
    read: (name, ...more) => of(name).read(name, ...more),
    live: (name) => of(name).live(name),
  };
}

/** A registry whose names go before those of another. */
function layered(own: Registry, below: Registry): Registry {
  let names: { readonly version: number; readonly set: ReadonlySet<string> } | undefined;
  const version = (): number => own.version + below.version;
  return {
    add: own.add,
    remove: own.remove,
    get: (name) => own.get(name) ?? below.get(name),
    entries: () => [...below.entries().filter(({ tool }) => !own.get(tool.name)), ...own.entries()],
    names() {
      if (names?.version !== version())
        names = { version: version(), set: new Set([...below.names(), ...own.names()]) };
      return names.set;
    },
    suggest: (name) => own.suggest(name) ?? below.suggest(name),
    get version() {
      return version();
    },
    watch(listener) {
      const ends = [own.watch(listener), below.watch(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
