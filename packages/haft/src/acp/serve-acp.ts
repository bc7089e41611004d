import { homedir } from "node:os";
import { resolve } from "node:path";
import {
  type AgentConnection,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk";
import { real } from "../app/workspace.ts";
import { type AgentSessionOptions, openSession, recordedCalls } from "../session/index.ts";
import { AcpSession, editorAsker } from "./acp-session.ts";
import { historyUpdates } from "./history.ts";
import { changeSetting, configOf, modesOf } from "./settings.ts";
import { listSessions } from "./stored-sessions.ts";

/** Options of the agent for editors. */
export interface AcpOptions {
  readonly version: string;
  /** The options of every session; the editor adds its folder and its servers. */
  readonly session: Omit<AgentSessionOptions, "ask" | "cwd" | "session" | "resume" | "fork">;
}

interface Opening {
  readonly cwd: string;
  readonly servers: readonly McpServer[];
  readonly directories?: readonly string[] | null | undefined;
  readonly resume?: string;
  readonly fork?: boolean;
}

/** The folders and servers that an editor names when it opens a session. */
interface OpeningParams {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly additionalDirectories?: readonly string[] | null | undefined;
}

/**
 * Serves the Agent Client Protocol, version 1, on a stream. Haft reads files and runs commands through its own ports, never
 * through the editor, so every effect is decided and recorded.
 */
export function serveAcp(stream: Stream, options: AcpOptions): AgentConnection {
  const sessions = new EditorSessions(options);
  const connection = withSessions(agent(), sessions, options).connect(stream);
  void connection.closed.finally(() => sessions.closeAll());
  return connection;
}

/** The sessions that an editor has opened. */
class EditorSessions {
  capabilities: ClientCapabilities = {};
  readonly #options: AcpOptions;
  readonly #sessions = new Map<string, AcpSession>();

  constructor(options: AcpOptions) {
    this.#options = options;
  }

  async open({ cwd, servers, directories, ...how }: Opening, client: AgentContext): Promise<AcpSession> {
    const { session: options } = this.#options;
    let id = "";
    const before = how.resume !== undefined && !how.fork ? this.#sessions.get(how.resume) : undefined;
    if (before) return before;
    const session = await openSession({
      ...options,
      ...how,
      cwd: absolute(cwd),
      ...withDirectories(options, directories ?? []),
      ask: editorAsker(client, () => id, this.capabilities.elicitation?.form != null),
    }).catch((thrown: Error) => {
      throw RequestError.invalidParams({ cwd }, thrown.message);
    });
    id = session.id;
    const opened = new AcpSession(session, client);
    opened.addServers(servers);
    this.#sessions.set(id, opened);
    // The editor learns the session's id from the answer, so updates follow it.
    setImmediate(() => opened.tellCommands());
    return opened;
  }

  /** @throws RequestError when the editor has no such session open. */
  named(id: string): AcpSession {
    const found = this.#sessions.get(id);
    if (found) return found;
    throw RequestError.invalidParams({ sessionId: id }, "There is no such session. Open it with session/load first.");
  }

  cancel(id: string): void {
    this.#sessions.get(id)?.cancel();
  }

  async close(id: string): Promise<void> {
    const closing = this.named(id);
    this.#sessions.delete(id);
    await closing.close();
  }

  async closeAll(): Promise<void> {
    for (const one of this.#sessions.values()) await one.close();
    this.#sessions.clear();
  }
}

/** The agent with its answers to an editor's requests. */
function withSessions(app: ReturnType<typeof agent>, sessions: EditorSessions, options: AcpOptions) {
  const env = options.session.env ?? process.env;
  const home = real(options.session.home ?? homedir());
  const stateOf = ({ session }: AcpSession) => ({ modes: modesOf(session), configOptions: configOf(session, env) });
  return app
    .onRequest(methods.agent.initialize, ({ params }) => {
      sessions.capabilities = params.clientCapabilities ?? {};
      return introduction(options.version);
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const from = params._meta?.["haft/fork"];
      const fork = typeof from === "string" ? { resume: from, fork: true } : {};
      const opened = await sessions.open({ ...openingOf(params), ...fork }, client);
      return { sessionId: opened.session.id, ...stateOf(opened) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const opened = await sessions.open({ ...openingOf(params), resume: params.sessionId }, client);
      const { messages, haft } = opened.session;
      for (const update of historyUpdates(messages, recordedCalls(haft.session.path))) opened.tell(update);
      return stateOf(opened);
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) =>
      stateOf(await sessions.open({ ...openingOf(params), resume: params.sessionId }, client)),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      listSessions({ cwd: absolute(cwd ?? process.cwd()), home, env: stateEnv(options.session, env) }, cursor),
    )
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      await sessions.close(sessionId);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt } }) => ({
      stopReason: await sessions.named(sessionId).prompt(prompt),
    }))
    .onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
      await change(sessions.named(sessionId), "mode", modeId);
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params: { sessionId, configId, value } }) => {
      const changed = sessions.named(sessionId);
      await change(changed, configId, value);
      return { configOptions: configOf(changed.session, env) };
    })
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => sessions.cancel(sessionId));
}

const introduction = (version: string) => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: "haft", title: "Haft", version },
  authMethods: [],
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
  },
});

const openingOf = ({ cwd, mcpServers = [], additionalDirectories: directories }: OpeningParams): Opening => ({
  cwd,
  servers: mcpServers,
  directories,
});

async function change({ session }: AcpSession, id: string, value: unknown): Promise<void> {
  const isKnown = await changeSetting(session, id, value).catch((thrown: Error) => {
    throw RequestError.invalidParams({ id, value }, thrown.message);
  });
  if (!isKnown) throw RequestError.invalidParams({ id, value }, "There is no such setting, or no such value.");
}

/** @throws RequestError for a folder that is relative: the editor and the agent may have started elsewhere. */
function absolute(cwd: string): string {
  if (resolve(cwd) === cwd.replace(/(?<=.)\/$/, "")) return real(cwd);
  throw RequestError.invalidParams({ cwd }, "The folder must be an absolute path.");
}

/** Further folders count as workspace. */
function withDirectories({ settings }: AcpOptions["session"], directories: readonly string[]) {
  if (directories.length === 0 || typeof settings === "string") return {};
  const given = typeof settings === "object" ? settings : {};
  const permissions = { ...given.permissions, additionalDirectories: [...directories] };
  return { settings: { ...given, permissions } };
}

const stateEnv = ({ stateDir }: AcpOptions["session"], env: Readonly<Record<string, string | undefined>>) =>
  typeof stateDir === "string" ? { ...env, HAFT_STATE_DIR: resolve(stateDir) } : env;
