import { homedir } from "node:os";
import { createPolicy, hasErrors, type Policy, type PolicyOptions, type Settings } from "@haft/core/policy";
import { mergeSettings } from "@haft/core/policy/settings";
import type { McpServer } from "@haft/mcp";
import { type StateFolder, stateFolder, trustStore } from "@haft/service";
import { configuredServers, withServers } from "../../../app/mcp/servers.ts";
import { settingNotice } from "../../../app/notice.ts";
import { readSettingsFiles } from "../../../app/settings/settings-files.ts";
import { settingsProblemsText } from "../../../app/settings/settings-problems.ts";
import { pluginServers } from "../../../app/setup/installed-plugins.ts";
import { loadPlugins } from "../../../app/setup/load-plugins.ts";
import { projectRoot, real, workspaceOf } from "../../../app/workspace.ts";
import { drawNotice } from "../../draw-notice.ts";
import { UsageError } from "../../exit-code.ts";
import type { CommonOptions } from "../../options.ts";

/** The MCP servers that a session in this folder would have; none is started. */
export interface Known {
  readonly settings: Settings;
  readonly servers: readonly McpServer[];
  /** The project's servers, which count only in a trusted folder. */
  readonly withheld: readonly McpServer[];
  /** Problems and omissions, as text for a person; empty without any. */
  readonly notices: string;
  readonly state: StateFolder;
  readonly cwd: string;
  readonly home: string;
  readonly root: string;
  /** The settings' restrictions, for servers that run in the sandbox. @throws UsageError when a rule has an error. */
  policy(): Policy;
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
  const { settings, rules, problems } = mergeSettings(layers, { trusted });
  if (hasErrors(problems)) throw new UsageError(settingsProblemsText(problems));
  const { plugins } = loadPlugins(common.withoutUserSettings ? undefined : state);
  const found = withServers(configuredServers({ settings, layers, trusted, root }), pluginServers(plugins));
  const about = [...problems.filter(({ path }) => path[0] === "mcpServers"), ...found.problems];
  const notices = about.map((problem) => drawNotice(settingNotice(problem))).join("");
  let policy: Policy | undefined;
  return {
    ...{ settings, servers: found.servers, withheld: found.withheld, notices, state, cwd, home, root },
    policy: () => (policy ??= soundPolicy({ rules, trusted, workspace: workspaceOf(cwd, home, settings, []) })),
  };
}

function soundPolicy(options: PolicyOptions): Policy {
  const policy = createPolicy(options);
  const broken = policy.problems.find(({ severity }) => severity === "error");
  if (broken) throw new UsageError(`${broken.rule}: ${broken.message}`, broken.cure);
  return policy;
}

/**
 * The server of that name, or an error that names the others. Servers of an untrusted project are not available yet.
 */
export function serverNamed({ servers, withheld }: Known, name: string | undefined): McpServer {
  if (name === undefined) throw new UsageError("Which server?", "See haft mcp list.");
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  if (withheld.some((server) => server.name === name))
    throw new UsageError(
      `The MCP server "${name}" is defined by this project, and the folder is not trusted.`,
      `See what it starts (haft mcp get ${name}), then trust the folder: haft trust.`,
    );
  const all = servers.map((server) => server.name).join(", ");
  throw new UsageError(`There is no MCP server "${name}".`, all === "" ? "None is configured." : `Known: ${all}.`);
}
