import type { Registry, Source } from "@haft/core/registry";
import { type CallContext, HaftError } from "@haft/core/tool";
import type { ReadResourceResult } from "@modelcontextprotocol/client";
import { readRemote } from "./call/read-remote.ts";
import { type Connection, createConnection, type Request } from "./connection/connection.ts";
import { type Following, followResources, type TellResource } from "./connection/follow-resources.ts";
import type { Live, OpenRequest, Surroundings } from "./connection/open.ts";
import { watchToolList } from "./connection/watch-list.ts";
import type { Definition } from "./definition/definition.ts";
import { instructionsText } from "./definition/instructions.ts";
import { chosenTools, listRemoteTools } from "./definition/list.ts";
import type { Pins } from "./definition/pins.ts";
import { openLogFile } from "./log-file.ts";
import { createMemberTools } from "./managed-server-tools.ts";
import type { McpManagerOptions, McpStatus } from "./manager-options.ts";
import { remoteTool } from "./remote-tool.ts";
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

export function createMember(server: McpServer, parts: MemberParts): Member {
  const { options, around, pins, spellings, registry, onChange } = parts;
  const { name } = server;
  // For a server in the sandbox the kernel enforces the claims of its tools; for others the claims are only its word.
  const source: Source = { origin: "mcp", name, ...(server.sandbox ? { basis: "enforced" } : {}) };
  const file = openLogFile(options.logFolder, name);
  const log = createLogTail(file.write);
  const idleMs = server.callTimeoutMs ?? server.timeoutMs ?? options.callTimeoutMs ?? CALL_MS;
  const limits = { idleMs, totalMs: Math.max(options.totalTimeoutMs ?? TOTAL_MS, idleMs) };
  let hasResources = false;
  let isAllowed = false;
  let era: "legacy" | "modern" | undefined;
  let instructions: string | undefined;
  let stopWatching: () => void = () => {};
  let noise: () => number = () => 0;
  const following = followResources(parts.onResource, (error) => log.add(`[resources] ${error.message}\n`));
  let unfollow: () => void = () => {};

  const connection: Connection = createConnection(
    {
      name,
      log,
      maySample: server.sampling === true && server.origin !== "project",
      ...(server.sandbox ? { confine: confineOf(server, options) } : {}),
      ...(server.startTimeoutMs === undefined ? {} : { startTimeoutMs: server.startTimeoutMs }),
      reach: () => reachOf(server, { cwd: options.cwd, env: options.env ?? process.env }),
      async mayStart(signal) {
        isAllowed ||= (await options.mayStart?.(server, signal)) ?? true;
        if (!isAllowed) throw refused(name);
      },
      async onOpen(live, signal) {
        const first = look(live, signal);
        stopWatching();
        // Watch from the start: the list may change while we wait for the first answer. Never two requests at once.
        stopWatching = watchToolList(
          live.client,
          (stopped) => first.then(() => look(live, stopped)),
          (error) => log.add(`[list of tools] ${error.message}\n`),
        );
        await first.catch((thrown) => {
          stopWatching();
          throw thrown;
        });
        era = live.client.getProtocolEra();
        noise = live.noise;
        // A project's texts reach the model through its tools only: nobody read them when agreeing to its command.
        instructions = server.origin === "project" ? undefined : instructionsText(name, live.client.getInstructions());
        hasResources = live.client.getServerCapabilities()?.resources !== undefined;
        unfollow();
        unfollow = hasResources ? following.attach(live.client) : () => {};
      },
      onChange() {
        if (connection.state === "failed" || connection.state === "stopped") withdraw();
        onChange();
      },
    },
    around,
  );

  async function look({ client }: Live, signal: AbortSignal): Promise<void> {
    const next = chosenTools(server, await listRemoteTools(client, signal));
    // A server that was ended meanwhile must not return to the registry.
    signal.throwIfAborted();
    tools.take(next);
  }

  const toolOf = (definition: Definition) =>
    remoteTool({
      server: name,
      definition,
      connection,
      log,
      limits,
      pins,
      instructions: (offered, tool) => (tools.spokesman(offered) === tool ? instructions : undefined),
      ...(server.sandbox ? { confinedTo: options.folders ?? [options.cwd] } : {}),
      isTrusted: server.trusted === true,
      isAlwaysOffered: server.alwaysLoad === true,
      aliases: spellings.of(name, definition.name, (spelling) => registry.get(spelling) !== undefined),
      when: () =>
        connection.state === "failed" ? { absent: connection.problem?.message ?? "its server is gone" } : true,
      // The model's text about a tool changes with its confirmation; the running tool stays the same.
      onPinned: () => tools.register(),
    });

  const { refreshOthers } = parts;
  const tools = createMemberTools({ name, source, registry, spellings, toolOf, onChange, refreshOthers });

  function withdraw(): void {
    stopWatching();
    stopWatching = () => {};
    unfollow();
    hasResources = false;
    tools.withdraw();
  }

  return {
    server,
    log,
    get isOnItsWay() {
      return ["connecting", "waiting"].includes(connection.state);
    },
    get isReady() {
      return connection.state === "ready";
    },
    get hasResources() {
      return hasResources;
    },
    async connect() {
      await connection.live();
    },
    async relist(signal) {
      if (connection.state === "ready") await look(await connection.live(), signal);
      else await connection.live();
    },
    live: () => connection.live(),
    request: connection.request,
    read: (uri, ctx) => readRemote({ server: name, connection, log, limits }, uri, ctx),
    follow: following.follow,
    register: tools.register,
    status: () => ({
      server,
      state: connection.state,
      ...(connection.problem ? { error: connection.problem } : {}),
      tools: tools.names(),
      problems: [...tools.problems(), ...(noise() > 0 ? [noisy(name, noise())] : [])],
      ...(era === undefined ? {} : { era }),
    }),
    async end() {
      withdraw();
      await connection.stop();
    },
  };
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

const refused = (name: string): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: `The MCP server "${name}" was not started: its command is not approved.`,
    hint: `See haft mcp get ${name}, then run haft mcp approve ${name}.`,
  });
