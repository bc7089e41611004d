import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Registration } from "@haft/core/registry";
import { HaftError, type ToolError } from "@haft/core/tool";
import { createWatchdog } from "@haft/host/process";
import { openTokenStore } from "./auth/token-store.ts";
import { createEraStore } from "./connection/era-store.ts";
import type { Surroundings } from "./connection/open.ts";
import { openPins, type Pins } from "./definition/pins.ts";
import { listRemoteResources } from "./definition/resource-list.ts";
import { createMember, type Member } from "./managed-server.ts";
import { promptsOf } from "./managed-server-prompts.ts";
import type { McpManager, McpManagerOptions, McpStatus, ResourceChange } from "./manager-options.ts";
import { resourceTools } from "./resource-tools.ts";
import type { McpServer } from "./server.ts";
import { startsInTurn } from "./starts-in-turn.ts";
import { createSpellings, toolNameOf } from "./tool-name.ts";
import { SERVER_MARK } from "./transport/server-process.ts";

const MiB = 1024 * 1024;

/** Makes a manager. Nothing is started until a server is added. */
export function createMcpManager(options: McpManagerOptions): McpManager {
  const { registry } = options;
  const members = new Members(options, (withResources) =>
    registry.add({ origin: "builtin", name: "haft" }, resourceTools({ manager, withResources })),
  );
  const named = (name: string): Member => members.named(name);
  const manager: McpManager = {
    add: (server, { connect = server.enabled !== false } = {}) => members.add(server, connect),
    remove: (name) => members.remove(name),
    disconnect: (name) => members.end(named(name)),
    connect: (name) => named(name).connect(),
    relist: (signal = new AbortController().signal) => members.relist(signal),
    list: () => members.all().map((member) => members.statusOf(member)),
    logs: (name) => named(name).log.lines(),
    settled: (ms) => members.until(() => members.areSettled, ms),
    awaitTool: (name, ms) => members.until(() => registry.get(name) !== undefined || members.areSettled, ms),
    whyMissing(name) {
      const member = members.all().find(({ server }) => name.startsWith(toolNameOf(server.name, "")));
      return member && missingBecause(members.statusOf(member), name);
    },
    ...promptsOf({ ready: () => members.all().filter(({ isReady }) => isReady), named }),
    follow: (name, uri) => members.find(name)?.follow(uri),
    onResource: (listener) => members.onResource(listener),
    ready: async (name) => void (await named(name).live()),
    resources: (name, kind, limits) =>
      named(name).request(limits.signal ?? new AbortController().signal, async ({ client }) =>
        client.getServerCapabilities()?.resources ? (await listRemoteResources(client, kind, limits)).entries : [],
      ),
    resource: (name, uri, signal) =>
      named(name).request(signal, async ({ client }) => {
        const { contents } = await client.readResource({ uri }, { signal });
        return contents;
      }),
    live: (name) => named(name).live(),
    request: (name, signal, make) => named(name).request(signal, make),
    read: (name, uri, ctx) => named(name).read(uri, ctx),
    close: () => members.close(),
  };
  return manager;
}

/** The servers of a manager, from their addition to their end. */
class Members {
  readonly #options: McpManagerOptions;
  readonly #addResourceTools: (withResources: () => readonly string[]) => Registration;
  readonly #members = new Map<string, Member>();
  readonly #watchdog = createWatchdog(`${SERVER_MARK}=${randomUUID()}.`);
  readonly #spellings = createSpellings();
  readonly #around: Surroundings;
  readonly #pins: Pins;
  readonly #listeners = new Set<() => void>();
  readonly #resourceListeners = new Set<(change: ResourceChange) => void>();
  /** Servers that wait for their turn to start. */
  readonly #queued = new Set<Member>();
  readonly #inTurn: ReturnType<typeof startsInTurn>;
  #leaving: Promise<unknown> = Promise.resolve();
  #resourceTools: Registration | undefined;

  constructor(options: McpManagerOptions, addResourceTools: (withResources: () => readonly string[]) => Registration) {
    this.#options = options;
    this.#addResourceTools = addResourceTools;
    this.#around = surroundingsOf(options, this.#watchdog);
    this.#pins = openPins(options.pinFile, options);
    this.#inTurn = startsInTurn(options.quiet);
  }

  all(): readonly Member[] {
    return [...this.#members.values()];
  }

  find(name: string): Member | undefined {
    return this.#members.get(name);
  }

  /** @throws HaftError `mcp_error` when no server has this name. */
  named(name: string): Member {
    const member = this.#members.get(name);
    if (member) return member;
    throw new HaftError({
      code: "mcp_error",
      message: `There is no MCP server "${name}".`,
      hint: `Known servers: ${[...this.#members.keys()].join(", ") || "none"}.`,
    });
  }

  /** A server that waits for its turn to start counts as connecting. */
  statusOf(member: Member): McpStatus {
    const status = member.status();
    return this.#queued.has(member) && status.state === "stopped" ? { ...status, state: "connecting" } : status;
  }

  /** Whether no server is still connecting. */
  get areSettled(): boolean {
    return this.#queued.size === 0 && this.all().every((member) => !member.isOnItsWay);
  }

  add(server: McpServer, connect: boolean): void {
    const before = this.#members.get(server.name);
    if (before) void this.end(before);
    const member = createMember(server, {
      options: this.#options,
      around: this.#around,
      pins: this.#pins,
      spellings: this.#spellings,
      registry: this.#options.registry,
      onChange: () => this.#changed(),
      onResource: (uri) => {
        for (const listener of this.#resourceListeners)
          listener({ server: server.name, ...(uri === undefined ? {} : { uri }) });
      },
      refreshOthers: (names) => {
        for (const name of names) this.#members.get(name)?.register();
      },
    });
    this.#members.set(server.name, member);
    if (connect) this.#start(member);
  }

  async remove(name: string): Promise<boolean> {
    const member = this.#members.get(name);
    this.#members.delete(name);
    if (member) await this.end(member);
    this.#changed();
    return member !== undefined;
  }

  async relist(signal: AbortSignal): Promise<void> {
    const wanted = this.all().filter(({ server }) => server.enabled !== false);
    const say = (member: Member) => (thrown: unknown) =>
      member.log.add(`[list of tools] ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    await Promise.all(wanted.map((member) => member.relist(signal).catch(say(member))));
  }

  onResource(listener: (change: ResourceChange) => void): () => void {
    this.#resourceListeners.add(listener);
    return () => void this.#resourceListeners.delete(listener);
  }

  /** Waits until `isDone`, which every change checks again, or until the timeout. */
  until(isDone: () => boolean, ms: number | undefined): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        this.#listeners.delete(look);
        clearTimeout(timer);
        resolve();
      };
      const look = (): void => {
        if (isDone()) end();
      };
      const timer = ms === undefined ? undefined : setTimeout(end, ms);
      this.#listeners.add(look);
    });
  }

  /** Ends a member, also one that has not started. `close` waits for it, even if nobody else does. */
  end(member: Member): Promise<void> {
    this.#queued.delete(member);
    const end = member.end();
    this.#leaving = Promise.all([this.#leaving, end]);
    return end;
  }

  async close(): Promise<void> {
    const all = this.all();
    this.#members.clear();
    for (const member of all) void this.end(member);
    await this.#leaving;
    this.#changed();
    this.#watchdog.close();
  }

  #start(member: Member): void {
    this.#queued.add(member);
    this.#inTurn(() => {
      if (!this.#queued.delete(member)) return undefined;
      const connected = member.connect().catch(() => {});
      this.#changed();
      return connected;
    });
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
    const withResources = () =>
      this.all()
        .filter(({ hasResources }) => hasResources)
        .map(({ server }) => server.name);
    if (withResources().length > 0) this.#resourceTools ??= this.#addResourceTools(withResources);
    else {
      this.#resourceTools?.remove();
      this.#resourceTools = undefined;
    }
  }
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
