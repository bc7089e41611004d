import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { HostPorts, RecordEntry } from "@haft/core/host";
import {
  hasErrors,
  type Mode,
  NO_SETTINGS,
  type RuleSource,
  type Settings,
  type SettingsLayer,
  type SettingsProblem,
  type ToolNames,
  type Workspace,
  withBuiltinNames,
} from "@haft/core/policy";
import type { McpServer } from "@haft/mcp";
import { readableSkills, type SkillRoot, skillRoots } from "@haft/plugins/skill-roots";
import { isSessionId, newSessionId, type StateFolder, stateFolder, trustStore } from "@haft/service";
import type { HaftOptions, RuleTexts } from "../haft.ts";
import type { ConfiguredServers, ServerSources } from "../mcp/servers.ts";
import type { ReadSettings } from "../settings/read-settings.ts";
import {
  existingFiles,
  isThere,
  MCP_JSON,
  type SettingsSources,
  userSettingsFile,
} from "../settings/settings-places.ts";
import { expandHome, hostWorkspace, projectRoot, real, workspaceOf } from "../workspace.ts";
import type { LoadedPlugin, PluginParts } from "./installed-plugins.ts";
import { invalidSetup } from "./invalid.ts";

/** The input of a Haft: its options and the settings files, read, merged and validated. Nothing is open yet. */
export interface Setup {
  readonly options: HaftOptions;
  /** Absolute and real, as are all folders here. */
  readonly home: string;
  readonly cwd: string;
  readonly session: SessionPlace;
  /** The state left by earlier processes, read-only. Absent: it does not count. */
  readonly past: Past | undefined;
  /** The entries of earlier processes of the session, if its record is in a store of the host's own. */
  readonly earlier?: readonly RecordEntry[];
  /** Absent: nothing is written to disk. */
  readonly state: StateFolder | undefined;
  readonly settings: Settings;
  readonly problems: readonly SettingsProblem[];
  /** The root of the project whose settings are read; absent if none are. */
  readonly root: string | undefined;
  /** The file for rules of the user; absent if it is not read. */
  readonly userFile: string | undefined;
  readonly trusted: boolean;
  readonly names: ToolNames;
  readonly rules: readonly RuleSource[];
  /** Rules of a folder that is not trusted: the policy lists them but applies none. */
  readonly inert: readonly RuleSource[];
  readonly mode: Mode;
  readonly workspace: Workspace;
  readonly remote: ConfiguredServers;
  /** The plugins of the user, unchanged since they agreed to them. */
  readonly plugins: readonly LoadedPlugin[];
  /** The origin of `discovery.command`: a project never vouches for its own program. */
  readonly discoveryOrigin: SettingsLayer["origin"] | undefined;
  /** The folders whose skills count. */
  readonly skillRoots: readonly SkillRoot[];
}

export interface SessionPlace {
  readonly id: string;
  readonly dir: string | undefined;
  readonly record: string | undefined;
  readonly spill: string | undefined;
}

/** Places of earlier grants and records. */
export interface Past {
  readonly state: StateFolder;
  readonly workspaceDir: string;
  /** The folder of the session to resume. */
  readonly sessionDir: string;
  readonly record: string;
}

/**
 * Reads the options and settings of a Haft.
 *
 * @throws HaftError `validation_failed` when a settings file or an option has an error.
 */
export async function readSetup(options: HaftOptions): Promise<Setup> {
  const { host } = options;
  const home = host ? (options.home ?? "/root") : real(options.home ?? homedir());
  const cwd = host ? await hostFolder(host, options.cwd) : await startFolder(options, home);
  const known = options.stateDir === false ? undefined : stateFolder(host ? homedir() : home, stateEnv(options));
  const state = options.lookOnly ? undefined : known;
  const session = sessionPlace(options, state, cwd);
  const names = withBuiltinNames(Array.isArray(options.tools) ? options.tools : []);
  const trusted = options.trusted ?? (known && !host ? trustStore(known).isTrusted(cwd) : false);
  const { layers, merged } = await settingsFor(options, cwd, home, names, trusted);
  const { rules, inert } = merged;
  const plugins = await pluginsIn(userFileOf(options, home) === undefined ? undefined : known, names);
  const hooks = plugins.hooks(merged.settings.hooks);
  const lsp = withLanguages(merged.settings.lsp, plugins.languages);
  const settings: Settings = {
    ...merged.settings,
    ...(hooks ? { hooks } : {}),
    ...(lsp ? { lsp } : {}),
  };
  const problems = [...merged.problems, ...plugins.problems];
  await refuseErrors(problems);
  if (layers.some(({ tests }) => tests !== undefined)) {
    const { failedRuleTests } = await import("../settings/rule-tests.ts");
    await refuseErrors(await failedRuleTests(layers, { root: projectRoot(cwd), home }));
  }
  const mode = options.mode ?? settings.defaultMode ?? "default";
  checkMode(mode, settings);
  const root = readsFolder(options) ? projectRoot(cwd) : undefined;
  const skills = [...skillRoots(userFileOf(options, home) && home, trusted ? root : undefined), ...plugins.skills];
  const remote = await serversFor({ settings, layers, trusted, root }, plugins.servers);
  const readable = [
    ...[...(session.spill ? [session.spill] : []), ...readableSkills(skills)].map(real),
    ...(options.spill ? [(await import("../host/spill-files.ts")).spillFolder(session.id)] : []),
  ];
  return {
    ...{ options, home, cwd, session, state, settings, problems, root, trusted, names, mode },
    skillRoots: skills,
    discoveryOrigin: discoveryOriginIn(layers, trusted),
    past: known && pastOf(known, cwd, session.id),
    userFile: userFileOf(options, home),
    plugins: plugins.plugins,
    rules: [...cliRules(options.rules), ...rules, ...plugins.rules],
    inert,
    workspace: (host ? hostWorkspace : workspaceOf)(cwd, home, settings, readable),
    remote,
  };
}

/** The installed plugins. Most users have none. */
async function pluginsIn(state: StateFolder | undefined, names: ToolNames): Promise<PluginParts> {
  if (state === undefined || !existsSync(join(state.root, "plugins", "plugins.json"))) return NO_PLUGINS;
  return (await import("./load-plugins.ts")).loadPluginParts(state, names);
}

const NO_PLUGINS: PluginParts = {
  ...{ plugins: [], problems: [], languages: {}, servers: [], skills: [], rules: [] },
  hooks: (own) => own,
};

/** Adds the language servers of plugins. The settings may change or switch off one by its name. */
function withLanguages(settings: Settings["lsp"], more: NonNullable<Settings["lsp"]>): Settings["lsp"] {
  const names = Object.keys(more);
  if (names.length === 0) return settings;
  return { ...settings, ...Object.fromEntries(names.map((name) => [name, { ...more[name], ...settings?.[name] }])) };
}

/** @throws HaftError `validation_failed` for a mode that the settings switch off. */
export function checkMode(mode: Mode, { bypassDisabled }: Settings): void {
  if (!bypassDisabled || mode !== "bypassPermissions") return;
  throw invalidSetup(
    "The settings disable mode bypassPermissions (permissions.disableBypassPermissionsMode). Choose another mode.",
  );
}

/** The start folder: from the options, else the settings, else the process. */
async function startFolder(options: HaftOptions, home: string): Promise<string> {
  const here = real(resolve(options.cwd ?? process.cwd()));
  if (options.cwd !== undefined) return here;
  const { merged } = await settingsFor(options, here, home, withBuiltinNames([]), false);
  const folder = merged.settings.bash?.defaultWorkingDirectory;
  if (folder === undefined) return here;
  const start = real(resolve(here, expandHome(folder, home)));
  if (existsSync(start)) return start;
  throw invalidSetup(`bash.defaultWorkingDirectory names ${start}, which does not exist. Make it, or remove the key.`);
}

/** The least trusted layer that names a program: where two do, nobody needs to know which of them counts. */
const discoveryOriginIn = (layers: readonly SettingsLayer[], trusted: boolean): SettingsLayer["origin"] | undefined => {
  const origins = layers.filter(({ settings }) => settings.discovery !== undefined).map(({ origin }) => origin);
  return trusted && origins.includes("project") ? "project" : origins.find((origin) => origin !== "project");
};

/** The start folder on another host: its real path there. */
async function hostFolder({ files }: HostPorts, cwd: string | undefined): Promise<string> {
  if (cwd === undefined || !cwd.startsWith("/"))
    throw invalidSetup("With the option `host`, `cwd` is required: the absolute path of a folder there.");
  const { path, kind } = await files.locate(cwd);
  if (kind !== "directory" && kind !== "missing") throw invalidSetup(`${cwd} is not a folder on this host.`);
  return path;
}

function sessionPlace(
  { session, record, spill }: HaftOptions,
  state: StateFolder | undefined,
  cwd: string,
): SessionPlace {
  const id = sessionIdOf(session);
  const dir = state?.session(cwd, id);
  return {
    ...{ id, dir },
    record: record ? undefined : dir && recordIn(dir),
    spill: spill ? undefined : dir && join(dir, "spill"),
  };
}

function pastOf(state: StateFolder, cwd: string, session: string): Past {
  const sessionDir = state.session(cwd, session);
  return { state, workspaceDir: state.workspace(cwd), sessionDir, record: recordIn(sessionDir) };
}

const recordIn = (sessionDir: string): string => join(sessionDir, "session.jsonl");

function sessionIdOf(asked: string | undefined): string {
  if (asked === undefined) return newSessionId();
  if (isSessionId(asked)) return asked;
  throw invalidSetup(`"${asked}" cannot be a session id. Use letters, digits, _ . and -, at most 64.`);
}

const stateEnv = (options: HaftOptions) =>
  typeof options.stateDir === "string" ? { HAFT_STATE_DIR: resolve(options.stateDir) } : (options.env ?? process.env);

const userFileOf = (options: HaftOptions, home: string): string | undefined =>
  !readsOwn(options) || options.host || options.withoutUserSettings
    ? undefined
    : userSettingsFile(home, options.env?.XDG_CONFIG_HOME);

/** Whether the files of the folder are read. Those of this machine say nothing about a folder on another host. */
const readsFolder = ({ settings, settingsFiles, host }: HaftOptions): boolean =>
  settings !== false && settingsFiles === undefined && !host;

/** Whether the files of the user and the administrator are read. */
const readsOwn = ({ settings, settingsFiles, host }: HaftOptions): boolean =>
  settings !== false && (settingsFiles === "own" || (settingsFiles === undefined && !host));

/** The settings in force. Without any, nothing that reads settings is loaded. */
async function settingsFor(
  options: HaftOptions,
  cwd: string,
  home: string,
  names: ToolNames,
  trusted: boolean,
): Promise<ReadSettings> {
  const sources = readsOwn(options) ? sourcesOf(options, cwd, home, names) : undefined;
  const { settings, env = process.env, host } = options;
  const isSet =
    typeof settings === "object" ||
    [env.HAFT_GATES, env.HAFT_USER_TYPE, env.USER_TYPE].some(Boolean) ||
    (sources && (sources.extra !== undefined || existingFiles(sources).length > 0));
  if (!isSet) return { layers: [], merged: NO_SETTINGS };
  const { readSettings } = await import("../settings/read-settings.ts");
  const given = { ...(settings === undefined ? {} : { settings }), ...(host ? { host } : {}) };
  return readSettings({ ...given, env, cwd, names, sources, trusted });
}

const sourcesOf = (options: HaftOptions, cwd: string, home: string, names: ToolNames): SettingsSources => ({
  root: projectRoot(cwd),
  home: options.host ? real(homedir()) : home,
  names,
  ...(readsFolder(options) ? {} : { withoutFolder: true }),
  ...(options.withoutUserSettings ? { withoutUser: true } : {}),
  ...(typeof options.settings === "string" ? { extra: resolve(cwd, options.settings) } : {}),
  ...(options.env?.XDG_CONFIG_HOME ? { configHome: options.env.XDG_CONFIG_HOME } : {}),
});

/** The MCP servers of settings, of the project, and of plugins. If none is named, nothing that reads them is loaded. */
async function serversFor(sources: ServerSources, ofPlugins: readonly McpServer[]): Promise<ConfiguredServers> {
  const { layers, root } = sources;
  const isNamed =
    ofPlugins.length > 0 ||
    layers.some(({ settings }) => settings.mcpServers !== undefined) ||
    (root !== undefined && isThere(join(root, MCP_JSON)));
  if (!isNamed) return { servers: [], withheld: [], problems: [] };
  const { configuredServers, withServers } = await import("../mcp/servers.ts");
  return withServers(configuredServers(sources), ofPlugins);
}

/** @throws HaftError `validation_failed` if an error is among the problems. */
async function refuseErrors(problems: readonly SettingsProblem[]): Promise<void> {
  if (!hasErrors(problems)) return;
  const { settingsProblemsText } = await import("../settings/settings-problems.ts");
  throw invalidSetup(settingsProblemsText(problems));
}

const cliRules = (rules: RuleTexts = {}): RuleSource[] =>
  (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text): RuleSource => ({ behavior, origin: "cli", text })),
  );
