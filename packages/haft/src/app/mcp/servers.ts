import { resolve } from "node:path";
import {
  type McpServerSettings,
  SETTINGS_PRECEDENCE,
  type Settings,
  type SettingsLayer,
  type SettingsProblem,
} from "@haft/core/policy";
import type { McpServer } from "@haft/mcp";
import { readMcpJson } from "../settings/mcp-json.ts";

export interface ConfiguredServers {
  readonly servers: readonly McpServer[];
  /** The project's servers, left out until somebody trusts the folder. */
  readonly withheld: readonly McpServer[];
  readonly problems: readonly SettingsProblem[];
}

export interface ServerSources {
  /** The merged settings, without those that an untrusted project may not set. */
  readonly settings: Settings;
  readonly layers: readonly SettingsLayer[];
  readonly trusted: boolean;
  /** The project's folder. `undefined`: its `.mcp.json` is not read. */
  readonly root: string | undefined;
}

/**
 * The MCP servers of settings and `.mcp.json`, each with its origin. If both define a name, the settings' server counts. A
 * project never vouches for its own servers: its `trusted` is ignored, even in a trusted folder.
 */
export function configuredServers({ settings, layers, trusted, root }: ServerSources): ConfiguredServers {
  const named = Object.entries(settings.mcpServers ?? {}).map(([name, server]) =>
    serverOf(name, server, originOf(name, layers, trusted), root),
  );
  const file = root === undefined ? undefined : readMcpJson(root);
  const known = new Set(named.map(({ name }) => name));
  const more = Object.entries({ ...file?.servers, ...(trusted ? {} : projectsOwn(layers)) })
    .filter(([name]) => !known.has(name))
    .map(([name, server]) => serverOf(name, server, "project", root));
  if (!trusted) return { servers: named, withheld: more, problems: file ? [ignored(file.file)] : [] };
  return { servers: [...named, ...more], withheld: [], problems: file?.problems ?? [] };
}

/** Adds the servers of plugins. One of the user's own settings counts instead, one of the project does not. */
export function withServers(remote: ConfiguredServers, more: readonly McpServer[]): ConfiguredServers {
  const isProjects = ({ origin }: McpServer) => origin === undefined || origin === "project";
  const own = new Set(remote.servers.filter((server) => !isProjects(server)).map(({ name }) => name));
  const added = more.filter(({ name }) => !own.has(name));
  const names = new Set(added.map(({ name }) => name));
  return { ...remote, servers: [...remote.servers.filter(({ name }) => !names.has(name)), ...added] };
}

/** The project's own settings for servers, even if they do not count. */
const projectsOwn = (layers: readonly SettingsLayer[]): Readonly<Record<string, McpServerSettings>> =>
  Object.assign({}, ...layers.filter(({ origin }) => origin === "project").map(({ settings }) => settings.mcpServers));

/** A server of settings or files, as the manager starts it. */
export function serverOf(
  name: string,
  server: McpServerSettings,
  origin: NonNullable<McpServer["origin"]>,
  root: string | undefined,
): McpServer {
  const { trusted, cwd, ...rest } = server;
  // A project's command runs in the project's folder, from any subfolder. Other commands run in the current folder.
  const place = cwd ?? (origin === "project" && server.command !== undefined ? root : undefined);
  return {
    ...rest,
    name,
    origin,
    ...(place === undefined ? {} : { cwd: root === undefined ? place : resolve(root, place) }),
    ...(trusted === true && origin !== "project" ? { trusted } : {}),
  };
}

/** The strongest source that names the server: its settings count. */
function originOf(name: string, layers: readonly SettingsLayer[], trusted: boolean) {
  const counting = layers.filter(({ origin }) => origin !== "project" || trusted);
  const found = SETTINGS_PRECEDENCE.find((origin) =>
    counting.some((layer) => layer.origin === origin && Object.hasOwn(layer.settings.mcpServers ?? {}, name)),
  );
  // A server without a source is treated as the least trusted one.
  return found ?? "project";
}

const ignored = (file: string): SettingsProblem => ({
  severity: "notice",
  file,
  path: ["mcpServers"],
  message: '"mcpServers" is ignored: the folder is not trusted.',
  cure: "Look at the file, then run `haft trust` to let this folder's settings allow more.",
});
