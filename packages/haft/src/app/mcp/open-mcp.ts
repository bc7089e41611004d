import { join } from "node:path";
import type { Broker } from "@haft/core/approval";
import type { Policy, SettingsProblem } from "@haft/core/policy";
import type { Registry } from "@haft/core/registry";
import { type AgentRef, toToolError } from "@haft/core/tool";
import { assertTokenFile, type Browser, createMcpManager, type McpManager, type McpServer } from "@haft/mcp";
import type { RunHooks } from "@haft/plugins/hook";
import type { StateFolder } from "@haft/service";
import { confineServers } from "./confine.ts";
import { askConsent, openConsent } from "./consent.ts";
import { elicitThrough, hookedElicit } from "./elicit.ts";
import type { InitialToolList } from "./initial-tool-list.ts";
import { sampleThrough } from "./sample.ts";

export interface OpenMcp {
  readonly servers: readonly McpServer[];
  /** The agent that has them. */
  readonly agent: AgentRef;
  readonly registry: Registry;
  readonly broker: Broker;
  /** Whether somebody can answer questions. */
  readonly isAttended: boolean;
  readonly runHooks: RunHooks;
  readonly browser?: Browser;
  /** The name of the model that servers may use. */
  readonly model?: string | undefined;
  readonly policy: () => Policy;
  /** State of people and earlier processes; read-only where there is no `state`. */
  readonly known: StateFolder | undefined;
  /** The folder for writing state. */
  readonly state: StateFolder | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly offer: InitialToolList;
}

/** Opens the session's MCP servers without waiting for them. Loads and starts nothing if none is configured. */
export function openMcp({ servers, isAttended, browser, model, ...around }: OpenMcp): McpManager {
  const { agent, registry, broker, policy, known, state, cwd, env, offer } = around;
  const readOnly = state === undefined;
  const consent = openConsent(known, policy().workspace.root, { readOnly });
  const sandbox = confineServers(known, policy, readOnly);
  const manager = createMcpManager({
    registry,
    cwd,
    env,
    ...(known ? filesOf(known, cwd) : {}),
    ...(state ? { logFolder: logFolderOf(state, cwd) } : {}),
    readOnly,
    quiet: offer.quiet,
    ...(browser ? { browser } : {}),
    folders: [...new Set([cwd, ...policy().workspace.additional])],
    ...(sandbox ? { confine: sandbox.confine } : {}),
    mayStart: (server, signal) => askConsent(server, { consent, broker, cwd, agent }, signal),
    ...(isAttended ? { elicit: hookedElicit(elicitThrough(broker), around.runHooks) } : {}),
    ...(isAttended && model !== undefined ? { sample: sampleThrough(broker, model, env) } : {}),
  });
  for (const server of servers) manager.add(server);
  return { ...manager, close: () => manager.close().finally(() => sandbox?.end()) };
}

/** Reports an unreadable login file. Its logins are requested again one by one, and the person should know why. */
export function loginProblems(
  servers: readonly McpServer[],
  state: StateFolder | undefined,
): readonly SettingsProblem[] {
  if (!state || !servers.some(({ url, enabled }) => url !== undefined && enabled !== false)) return [];
  const file = tokenFileOf(state);
  try {
    assertTokenFile(file);
    return [];
  } catch (thrown) {
    const message = "Your logins at MCP servers cannot be read; the file was not changed.";
    return [{ severity: "warning", file, path: ["mcpServers"], message, cure: toToolError(thrown).hint ?? "" }];
  }
}

const filesOf = (state: StateFolder, cwd: string) => ({
  pinFile: join(state.workspace(cwd), "mcp-pins.json"),
  eraFile: join(state.root, "mcp-eras.json"),
  tokenFile: tokenFileOf(state),
});

/** The folder for logs of servers: their output outside the protocol. */
export const logFolderOf = (state: StateFolder, cwd: string): string => join(state.workspace(cwd), "mcp-logs");

/** The file of the user's logins at MCP servers. */
export const tokenFileOf = (state: StateFolder): string => join(state.root, "mcp-logins.json");
