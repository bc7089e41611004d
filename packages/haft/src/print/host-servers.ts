import type { AgentSession } from "../session/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** The MCP servers of a conversation with a host, under the names of the SDK. */
export interface HostServers {
  status(): readonly Json[];
  /** Replaces the servers that the host has brought. Those of the settings and those inside the host stay. */
  set(servers: Readonly<Record<string, Json>>): Promise<Json>;
  toggle(name: string, isEnabled: boolean): Promise<void>;
}

/** Milliseconds that a new server has to connect before its state is told. */
const CONNECT_MS = 10_000;

/** `inside`: the servers that live in the host itself. `external`: those that the host lets Haft start. */
export function createHostServers(
  session: AgentSession,
  inside: readonly string[],
  external: readonly (readonly [name: string, server: Json])[],
): HostServers {
  const { mcp } = session.haft;
  const add = (name: string, server: Json): void => mcp.add({ ...server, name, origin: "cli" });
  for (const [name, server] of external) add(name, server);
  let own = new Map(external);
  const status = (): readonly Json[] => [
    ...inside.map((name) => ({ name, status: "connected" })),
    ...mcp.list().map(({ server, state, error }) => ({
      name: server.name,
      status: error?.details?.reason === "auth_required" ? "needs-auth" : statusOf(state),
      ...(error ? { error: error.message } : {}),
    })),
  ];
  return {
    status,
    async set(servers) {
      const wanted = new Map(Object.entries(servers).filter(([, { type }]) => type !== "sdk"));
      const errors: Record<string, string> = {};
      for (const [name, { type }] of Object.entries(servers))
        if (type === "sdk" && !inside.includes(name))
          errors[name] = "A server inside the host must be there from the start.";
      const removed = [...own.keys()].filter((name) => !wanted.has(name));
      for (const name of removed) await mcp.remove(name);
      const added = [...wanted].filter(([name, server]) => JSON.stringify(own.get(name)) !== JSON.stringify(server));
      own = wanted;
      for (const [name, server] of added)
        try {
          add(name, server);
        } catch (thrown) {
          errors[name] = (thrown as Error).message;
        }
      await mcp.settled(CONNECT_MS);
      for (const { server, error } of mcp.list())
        if (wanted.has(server.name) && error) errors[server.name] = error.message;
      return { added: added.map(([name]) => name), removed, errors };
    },
    toggle: (name, isEnabled) => (isEnabled ? mcp.connect(name) : mcp.disconnect(name)),
  };
}

const statusOf = (state: string): string =>
  ({ ready: "connected", failed: "failed", disabled: "disabled", stopped: "disabled" })[state] ?? "pending";
