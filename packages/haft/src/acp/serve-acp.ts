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

/**
 * Serves the Agent Client Protocol, version 1, on a stream. Haft reads files and runs commands through its own ports, never
 * through the editor, so every effect is decided and recorded.
 */
export function serveAcp(stream: Stream, options: AcpOptions): AgentConnection {
  const sessions = new Map<string, AcpSession>();
  let capabilities: ClientCapabilities = {};
  const home = real(options.session.home ?? homedir());
  const env = options.session.env ?? process.env;

  async function open({ cwd, servers, directories, ...how }: Opening, client: AgentContext): Promise<AcpSession> {
    let id = "";
    const before = how.resume !== undefined && !how.fork ? sessions.get(how.resume) : undefined;
    if (before) return before;
    const session = await openSession({
      ...options.session,
      ...how,
      cwd: absolute(cwd),
      ...withDirectories(options.session, directories ?? []),
      ask: editorAsker(client, () => id, capabilities.elicitation?.form != null),
    }).catch((thrown: Error) => {
      throw RequestError.invalidParams({ cwd }, thrown.message);
    });
    id = session.id;
    const opened = new AcpSession(session, client);
    opened.addServers(servers);
    sessions.set(id, opened);
    // The editor learns the session's id from the answer, so updates follow it.
    setImmediate(() => opened.tellCommands());
    return opened;
  }

  const named = (id: string): AcpSession => {
    const found = sessions.get(id);
    if (found) return found;
    throw RequestError.invalidParams({ sessionId: id }, "There is no such session. Open it with session/load first.");
  };
  const stateOf = ({ session }: AcpSession) => ({ modes: modesOf(session), configOptions: configOf(session, env) });

  const app = agent()
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "haft", title: "Haft", version: options.version },
        authMethods: [],
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
        },
      };
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const { cwd, mcpServers: servers, additionalDirectories: directories, _meta } = params;
      const from = _meta?.["haft/fork"];
      const fork = typeof from === "string" ? { resume: from, fork: true } : {};
      const opened = await open({ cwd, servers, directories, ...fork }, client);
      return { sessionId: opened.session.id, ...stateOf(opened) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const { cwd, mcpServers: servers, additionalDirectories: directories, sessionId: resume } = params;
      const opened = await open({ cwd, servers, directories, resume }, client);
      const { messages, haft } = opened.session;
      for (const update of historyUpdates(messages, recordedCalls(haft.session.path))) opened.tell(update);
      return stateOf(opened);
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      const { cwd, mcpServers: servers = [], additionalDirectories: directories, sessionId: resume } = params;
      return stateOf(await open({ cwd, servers, directories, resume }, client));
    })
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      listSessions({ cwd: absolute(cwd ?? process.cwd()), home, env: stateEnv(options.session, env) }, cursor),
    )
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      const closing = named(sessionId);
      sessions.delete(sessionId);
      await closing.close();
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt } }) => ({
      stopReason: await named(sessionId).prompt(prompt),
    }))
    .onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
      await change(named(sessionId), "mode", modeId);
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params: { sessionId, configId, value } }) => {
      const changed = named(sessionId);
      await change(changed, configId, value);
      return { configOptions: configOf(changed.session, env) };
    })
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => sessions.get(sessionId)?.cancel());

  const connection = app.connect(stream);
  void connection.closed.finally(async () => {
    for (const one of sessions.values()) await one.close();
    sessions.clear();
  });
  return connection;
}

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
