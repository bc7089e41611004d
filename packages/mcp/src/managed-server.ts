import type { Registry, Source } from "@haft/core/registry";
import { type CallContext, HaftError } from "@haft/core/tool";
import type { ReadResourceResult } from "@modelcontextprotocol/client";
import { readRemote } from "./call/read-remote.ts";
import { type Connection, type ConnectionOptions, createConnection, type Request } from "./connection/connection.ts";
import { type Following, followResources, type TellResource } from "./connection/follow-resources.ts";
import type { Live, OpenRequest, Surroundings } from "./connection/open.ts";
import { watchToolList } from "./connection/watch-list.ts";
import type { Definition } from "./definition/definition.ts";
import { instructionsText } from "./definition/instructions.ts";
import { chosenTools, listRemoteTools } from "./definition/list.ts";
import type { Pins } from "./definition/pins.ts";
import { openLogFile } from "./log-file.ts";
import { createMemberTools, type MemberTools } from "./managed-server-tools.ts";
import type { McpManagerOptions, McpStatus } from "./manager-options.ts";
import { type RemoteTool, remoteTool } from "./remote-tool.ts";
import { type McpServer, reachOf } from "./server.ts";
import type { Spellings } from "./tool-name.ts";
import { createLogTail, type LogTail } from "./transport/log-tail.ts";

interface MemberParts {
  readonly options: McpManagerOptions;
  readonly around: Surroundings;
  readonly pins: Pins;
  readonly spellings: Spellings;
  readonly registry: Registry;
  onChange(): void;
  readonly onResource: TellResource;
  /** Called when the spellings of these servers' tools have another meaning. */
  refreshOthers(names: readonly string[]): void;
}

/** One server of the session: its connection and its tools in the registry. */
export interface Member {
  readonly server: McpServer;
  readonly log: LogTail;
  readonly isOnItsWay: boolean;
  readonly isReady: boolean;
  readonly hasResources: boolean;
  connect(): Promise<void>;
  /** Lists its tools again; connects first where it is not connected. */
  relist(signal: AbortSignal): Promise<void>;
  live(): Promise<Live>;
  readonly request: Request;
  read(uri: string, ctx: CallContext): Promise<ReadResourceResult["contents"]>;
  readonly follow: Following["follow"];
  /** Registers its tools again. */
  register(): void;
  status(): McpStatus;
  /** Ends it, and removes its tools. */
  end(): Promise<void>;
}

const CALL_MS = 60_000;
const TOTAL_MS = 30 * 60_000;

/** Makes a server of the session. Nothing starts before it is connected. */
export const createMember = (server: McpServer, parts: MemberParts): Member => new ManagedServer(server, parts);

class ManagedServer implements Member {
  readonly server: McpServer;
  readonly log: LogTail;
  readonly request: Request;
  readonly follow: Following["follow"];
  readonly register: () => void;
  hasResources = false;
  readonly #parts: MemberParts;
  readonly #limits: { readonly idleMs: number; readonly totalMs: number };
  readonly #connection: Connection;
  readonly #tools: MemberTools;
  readonly #following: Following;
  #isAllowed = false;
  #era: "legacy" | "modern" | undefined;
  #instructions: string | undefined;
  #noise: () => number = () => 0;
  #stopWatching: () => void = () => {};
  #unfollow: () => void = () => {};

  constructor(server: McpServer, parts: MemberParts) {
    const { options, spellings, registry, onChange, refreshOthers } = parts;
    const { name } = server;
    this.server = server;
    this.#parts = parts;
    this.log = createLogTail(openLogFile(options.logFolder, name).write);
    const idleMs = server.callTimeoutMs ?? server.timeoutMs ?? options.callTimeoutMs ?? CALL_MS;
    this.#limits = { idleMs, totalMs: Math.max(options.totalTimeoutMs ?? TOTAL_MS, idleMs) };
    this.#following = followResources(parts.onResource, (error) => this.log.add(`[resources] ${error.message}\n`));
    this.#connection = createConnection(this.#connectionOptions(), parts.around);
    // For a server in the sandbox the kernel enforces the claims of its tools; for others the claims are only its word.
    const source: Source = { origin: "mcp", name, ...(server.sandbox ? { basis: "enforced" } : {}) };
    const toolOf = (definition: Definition) => this.#toolOf(definition);
    this.#tools = createMemberTools({ name, source, registry, spellings, toolOf, onChange, refreshOthers });
    this.request = this.#connection.request;
    this.follow = this.#following.follow;
    this.register = this.#tools.register;
  }

  get isOnItsWay(): boolean {
    return ["connecting", "waiting"].includes(this.#connection.state);
  }

  get isReady(): boolean {
    return this.#connection.state === "ready";
  }

  async connect(): Promise<void> {
    await this.#connection.live();
  }

  async relist(signal: AbortSignal): Promise<void> {
    if (this.isReady) await this.#look(await this.#connection.live(), signal);
    else await this.#connection.live();
  }

  live(): Promise<Live> {
    return this.#connection.live();
  }

  read(uri: string, ctx: CallContext): Promise<ReadResourceResult["contents"]> {
    const { log } = this;
    return readRemote({ server: this.server.name, connection: this.#connection, log, limits: this.#limits }, uri, ctx);
  }

  status(): McpStatus {
    const { state, problem } = this.#connection;
    const noise = this.#noise();
    return {
      server: this.server,
      state,
      ...(problem ? { error: problem } : {}),
      tools: this.#tools.names(),
      problems: [...this.#tools.problems(), ...(noise > 0 ? [noisy(this.server.name, noise)] : [])],
      ...(this.#era === undefined ? {} : { era: this.#era }),
    };
  }

  async end(): Promise<void> {
    this.#withdraw();
    await this.#connection.stop();
  }

  #connectionOptions(): ConnectionOptions {
    const { server, log } = this;
    const { options, onChange } = this.#parts;
    return {
      ...{ name: server.name, log },
      maySample: server.sampling === true && server.origin !== "project",
      ...(server.sandbox ? { confine: confineOf(server, options) } : {}),
      ...(server.startTimeoutMs === undefined ? {} : { startTimeoutMs: server.startTimeoutMs }),
      reach: () => reachOf(server, { cwd: options.cwd, env: options.env ?? process.env }),
      mayStart: async (signal) => {
        this.#isAllowed ||= (await options.mayStart?.(server, signal)) ?? true;
        if (!this.#isAllowed) throw refused(server);
      },
      onOpen: (live, signal) => this.#opened(live, signal),
      onChange: () => {
        if (["failed", "stopped"].includes(this.#connection.state)) this.#withdraw();
        onChange();
      },
    };
  }

  async #opened(live: Live, signal: AbortSignal): Promise<void> {
    const { name, origin } = this.server;
    const { client } = live;
    const first = this.#look(live, signal);
    this.#stopWatching();
    // Watch from the start: the list may change while we wait for the first answer. Never two requests at once.
    this.#stopWatching = watchToolList(
      client,
      (stopped) => first.then(() => this.#look(live, stopped)),
      (error) => this.log.add(`[list of tools] ${error.message}\n`),
    );
    await first.catch((thrown) => {
      this.#stopWatching();
      throw thrown;
    });
    this.#era = client.getProtocolEra();
    this.#noise = live.noise;
    // A project's texts reach the model through its tools only: nobody read them when agreeing to its command.
    this.#instructions = origin === "project" ? undefined : instructionsText(name, client.getInstructions());
    this.hasResources = client.getServerCapabilities()?.resources !== undefined;
    this.#unfollow();
    this.#unfollow = this.hasResources ? this.#following.attach(client) : () => {};
  }

  async #look({ client }: Live, signal: AbortSignal): Promise<void> {
    const next = chosenTools(this.server, await listRemoteTools(client, signal));
    // A server that was ended meanwhile must not return to the registry.
    signal.throwIfAborted();
    this.#tools.take(next);
  }

  #toolOf(definition: Definition): RemoteTool {
    const { name, sandbox, trusted, alwaysLoad } = this.server;
    const { options, pins, spellings, registry } = this.#parts;
    const connection = this.#connection;
    return remoteTool({
      ...{ server: name, definition, connection, log: this.log, limits: this.#limits, pins },
      instructions: (offered, tool) => (this.#tools.spokesman(offered) === tool ? this.#instructions : undefined),
      ...(sandbox ? { confinedTo: options.folders ?? [options.cwd] } : {}),
      isTrusted: trusted === true,
      isAlwaysOffered: alwaysLoad === true,
      aliases: spellings.of(name, definition.name, (spelling) => registry.get(spelling) !== undefined),
      when: () =>
        connection.state === "failed" ? { absent: connection.problem?.message ?? "its server is gone" } : true,
      // The model's text about a tool changes with its confirmation; the running tool stays the same.
      onPinned: this.#tools.register,
    });
  }

  #withdraw(): void {
    this.#stopWatching();
    this.#stopWatching = () => {};
    this.#unfollow();
    this.hasResources = false;
    this.#tools.withdraw();
  }
}

/** A server that must be confined never runs unconfined. */
function confineOf(server: McpServer, { confine }: McpManagerOptions): NonNullable<OpenRequest["confine"]> {
  return (plain) => {
    if (confine) return confine(server, plain);
    throw new HaftError({
      code: "sandbox_unavailable",
      message: `The MCP server "${server.name}" has to run in a sandbox, and none is available.`,
      hint: "See haft doctor, or remove sandbox from its settings.",
    });
  };
}

const noisy = (name: string, lines: number): string =>
  `It writes to its standard output text that is not a message (${lines} ${lines === 1 ? "line" : "lines"} so far); that is left out: haft mcp logs ${name}`;

const refused = ({ name, agent }: McpServer): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: `The MCP server "${name}" was not started: its command is not approved.`,
    hint:
      agent === undefined
        ? `See haft mcp get ${name}, then run haft mcp approve ${name}.`
        : "To agree to it once, start the agent in a terminal: haft asks there.",
  });
