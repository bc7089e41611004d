import { join } from "node:path";
import type { Broker } from "@haft/core/approval";
import type { Policy, SettingsProblem } from "@haft/core/policy";
import type { Registry } from "@haft/core/registry";
import { toToolError } from "@haft/core/tool";
import {
  assertTokenFile,
  type Browser,
  createMcpManager,
  type McpManager,
  type McpServer,
  type StateFolder,
} from "@haft/tools";
import { confineServers } from "./confine.ts";
import { askConsent, openConsent } from "./consent.ts";
import { elicitThrough } from "./elicit.ts";
import type { FirstOffer } from "./first-offer.ts";
import { sampleThrough } from "./sample.ts";

export interface OpenMcp {
  readonly servers: readonly McpServer[];
  readonly registry: Registry;
  readonly broker: Broker;
  /** Whether there is anybody who could answer. */
  readonly isAttended: boolean;
  readonly browser?: Browser;
  /** The model that servers may ask, by its name. */
  readonly model?: string | undefined;
  readonly policy: () => Policy;
  /** Where is kept what people and earlier processes have left; read only where there is no `state`. */
  readonly known: StateFolder | undefined;
  /** Where things are written. */
  readonly state: StateFolder | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly offer: FirstOffer;
}

/** The session's MCP servers, on their way. Nothing is loaded or started where none is configured. */
export function openMcp({ servers, isAttended, browser, model, ...around }: OpenMcp): McpManager {
  const { registry, broker, policy, known, state, cwd, env, offer } = around;
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
    mayStart: (server, signal) => askConsent(server, { consent, broker, cwd }, signal),
    ...(isAttended ? { elicit: elicitThrough(broker) } : {}),
    ...(isAttended && model !== undefined ? { sample: sampleThrough(broker, model, env) } : {}),
  });
  for (const server of servers) manager.add(server);
  return { ...manager, close: () => manager.close().finally(() => sandbox?.end()) };
}

/** Logins that cannot be read are asked for anew, one after the other: whoever works hears why. */
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
    const message = "Your logins at MCP servers cannot be read; the file is left as it is.";
    return [{ severity: "warning", file, path: ["mcpServers"], message, cure: toToolError(thrown).hint ?? "" }];
  }
}

const filesOf = (state: StateFolder, cwd: string) => ({
  pinFile: join(state.workspace(cwd), "mcp-pins.json"),
  eraFile: join(state.root, "mcp-eras.json"),
  tokenFile: tokenFileOf(state),
});

/** Where what the servers of a folder say beside the protocol is kept. */
export const logFolderOf = (state: StateFolder, cwd: string): string => join(state.workspace(cwd), "mcp-logs");

/** Where the user's logins at MCP servers are kept. */
export const tokenFileOf = (state: StateFolder): string => join(state.root, "mcp-logins.json");
