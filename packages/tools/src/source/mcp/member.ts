import type { Registration, Registry, Source } from "@haft/core/registry";
import { HaftError } from "@haft/core/tool";
import { type Connection, createConnection } from "./connection/connection.ts";
import type { Live, Surroundings } from "./connection/open.ts";
import { watchToolList } from "./connection/watch-list.ts";
import type { McpManagerOptions, McpStatus } from "./contract.ts";
import type { Definition } from "./definition/definition.ts";
import { listRemoteTools, type ToolList } from "./definition/list.ts";
import type { Pins } from "./definition/pins.ts";
import { openLogFile } from "./log-file.ts";
import { remoteTool } from "./remote-tool.ts";
import { type McpServer, reachOf } from "./server.ts";
import type { Spellings } from "./tool-name.ts";
import { createLogTail, type LogTail } from "./transport/log-tail.ts";

export interface MemberParts {
  readonly options: McpManagerOptions;
  readonly around: Surroundings;
  readonly pins: Pins;
  readonly spellings: Spellings;
  readonly registry: Registry;
  onChange(): void;
  /** The spellings of these servers' tools mean something else now. */
  refreshOthers(names: readonly string[]): void;
}

/** One server among the others: its connection and its tools in the registry. */
export interface Member {
  readonly server: McpServer;
  readonly log: LogTail;
  readonly isOnItsWay: boolean;
  readonly hasResources: boolean;
  connect(): Promise<void>;
  live(): Promise<Live>;
  /** Puts its tools into the registry anew. */
  register(): void;
  status(): McpStatus;
  /** Ends it, and takes its tools out. */
  end(): Promise<void>;
}

const CALL_MS = 60_000;
const TOTAL_MS = 30 * 60_000;

export function createMember(server: McpServer, parts: MemberParts): Member {
  const { options, around, pins, spellings, registry, onChange } = parts;
  const { name } = server;
  const source: Source = { origin: "mcp", name };
  const file = openLogFile(options.logFolder, name);
  const log = createLogTail(file.write);
  const idleMs = server.timeoutMs ?? options.callTimeoutMs ?? CALL_MS;
  const limits = { idleMs, totalMs: Math.max(options.totalTimeoutMs ?? TOTAL_MS, idleMs) };
  let list: ToolList = { definitions: [], problems: [] };
  let registration: Registration | undefined;
  let hasResources = false;
  let isAllowed = false;
  let era: "legacy" | "modern" | undefined;
  let stopWatching: () => void = () => {};

  const connection: Connection = createConnection(
    {
      name,
      log,
      reach: () => reachOf(server, { cwd: options.cwd, env: options.env ?? process.env }),
      async mayStart(signal) {
        isAllowed ||= (await options.mayStart?.(server, signal)) ?? true;
        if (!isAllowed) throw refused(name);
      },
      async onOpen(live, signal) {
        await look(live, signal);
        era = live.client.getProtocolEra();
        hasResources = live.client.getServerCapabilities()?.resources !== undefined;
        stopWatching();
        stopWatching = watchToolList(
          live.client,
          (stopped) => look(live, stopped),
          (error) => log.add(`[list of tools] ${error.message}\n`),
        );
      },
      onChange() {
        if (connection.state === "failed" || connection.state === "stopped") withdraw();
        onChange();
      },
    },
    around,
  );

  async function look({ client }: Live, signal: AbortSignal): Promise<void> {
    const next = await listRemoteTools(client, signal);
    // A server that was ended meanwhile must not come back into the registry.
    signal.throwIfAborted();
    take(next);
  }

  function take(next: ToolList): void {
    const isSame =
      registration !== undefined &&
      next.definitions.length === list.definitions.length &&
      next.definitions.every(({ hash, name: tool }, index) => {
        const before = list.definitions[index]!;
        return before.hash === hash && before.name === tool;
      });
    list = next;
    if (isSame) return;
    const names = next.definitions.map((definition) => definition.name);
    const touched = spellings.set(name, names);
    register();
    parts.refreshOthers(touched);
    onChange();
  }

  function register(): void {
    registration?.remove();
    registration = registry.add(source, list.definitions.map(toolOf));
  }

  const toolOf = (definition: Definition) =>
    remoteTool({
      server: name,
      definition,
      connection,
      log,
      limits,
      pins,
      isTrusted: server.trusted === true,
      isAlwaysOffered: server.alwaysLoad === true,
      aliases: spellings.of(name, definition.name, (spelling) => registry.get(spelling) !== undefined),
      when: () =>
        connection.state === "failed" ? { absent: connection.problem?.message ?? "its server is gone" } : true,
      // What the model is told of a tool changes with its confirmation; the tool that runs now stays what it is.
      onPinned: () => register(),
    });

  function withdraw(): void {
    stopWatching();
    stopWatching = () => {};
    registration?.remove();
    registration = undefined;
    list = { definitions: [], problems: [] };
    hasResources = false;
    parts.refreshOthers(spellings.set(name, []));
  }

  return {
    server,
    log,
    get isOnItsWay() {
      return ["connecting", "waiting"].includes(connection.state);
    },
    get hasResources() {
      return hasResources;
    },
    async connect() {
      await connection.live();
    },
    live: () => connection.live(),
    register,
    status: () => ({
      server,
      state: connection.state,
      ...(connection.problem ? { error: connection.problem } : {}),
      tools: registration?.added ?? [],
      problems: [...list.problems, ...(registration?.refused ?? []).map(({ message }) => message)],
      ...(era === undefined ? {} : { era }),
    }),
    async end() {
      withdraw();
      await connection.stop();
    },
  };
}

const refused = (name: string): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: `The MCP server "${name}" was not started: nobody has agreed to its command.`,
    hint: `Look at it with haft mcp get ${name}, then agree with haft mcp approve ${name}.`,
  });
