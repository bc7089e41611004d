import { homedir } from "node:os";
import { hasErrors, mergeSettings } from "@haft/core/policy";
import { type McpServer, type StateFolder, stateFolder, trustStore } from "@haft/tools";
import { configuredServers } from "../../../app/mcp/servers.ts";
import { readSettingsFiles } from "../../../app/settings/settings-files.ts";
import { settingsProblemsText } from "../../../app/settings/settings-problems.ts";
import { projectRoot, real } from "../../../app/workspace.ts";
import { UsageError } from "../../exit-code.ts";
import type { CommonOptions } from "../../options.ts";

/** The MCP servers that a session in this folder would have, without starting one. */
export interface Known {
  readonly servers: readonly McpServer[];
  /** What is wrong or left out, as text for a person; empty when nothing is. */
  readonly notices: string;
  readonly state: StateFolder;
  readonly cwd: string;
  readonly home: string;
  readonly root: string;
}

/**
 * Reads settings and `.mcp.json` as a session would.
 *
 * @throws UsageError when a settings file has an error.
 */
export function knownServers(common: Pick<CommonOptions, "cwd" | "settings" | "withoutUserSettings" | "trust">): Known {
  const home = real(homedir());
  const cwd = real(common.cwd);
  const root = projectRoot(cwd);
  const state = stateFolder(home);
  const trusted = common.trust || trustStore(state).isTrusted(cwd);
  const layers = readSettingsFiles({
    root,
    home,
    ...(common.withoutUserSettings ? { withoutUser: true } : {}),
    ...(common.settings === undefined ? {} : { extra: common.settings }),
  });
  const { settings, problems } = mergeSettings(layers, { trusted });
  if (hasErrors(problems)) throw new UsageError(settingsProblemsText(problems));
  const found = configuredServers({ settings, layers, trusted, root });
  const about = [...problems.filter(({ path }) => path[0] === "mcpServers"), ...found.problems];
  const notices = about.length === 0 ? "" : `${settingsProblemsText(about)}\n`;
  return { servers: found.servers, notices, state, cwd, home, root };
}

/** The server of that name, or an error that names the others. */
export function serverNamed({ servers }: Known, name: string | undefined): McpServer {
  if (name === undefined) throw new UsageError("Which server?", "See haft mcp list.");
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const all = servers.map((server) => server.name).join(", ");
  throw new UsageError(`There is no MCP server "${name}".`, all === "" ? "None is configured." : `Known: ${all}.`);
}
