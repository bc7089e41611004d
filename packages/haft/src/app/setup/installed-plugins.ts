import type { HooksSettings, LanguageServerSettings, RuleSource, SettingsProblem, ToolNames } from "@haft/core/policy";
import { parseRule } from "@haft/core/policy";
import type { McpServer } from "@haft/mcp";
import type { InstalledPlugin, PluginContents } from "@haft/plugins";
import type { SkillRoot } from "@haft/plugins/skill-roots";

/** A plugin of the user whose files are those that they agreed to. */
export interface LoadedPlugin {
  readonly installed: InstalledPlugin;
  /** Its parts, with the user's answers in servers and hooks. */
  readonly contents: PluginContents;
  /** The answers that a model may see. */
  readonly answers: Readonly<Record<string, string>>;
}

/** The plugins of the user, and why some are left out. */
export interface LoadedPlugins {
  readonly plugins: readonly LoadedPlugin[];
  readonly problems: readonly SettingsProblem[];
}

/** The parts of a session that plugins bring. */
export interface PluginParts extends LoadedPlugins {
  /** The hooks of the settings, followed by those of plugins. */
  hooks(own: HooksSettings | undefined): HooksSettings | undefined;
  readonly languages: Readonly<Record<string, LanguageServerSettings>>;
  readonly servers: readonly McpServer[];
  readonly skills: readonly SkillRoot[];
  readonly rules: readonly RuleSource[];
}

/** The parts that these plugins bring. `names`: the known tools. */
export const pluginParts = (loaded: LoadedPlugins, names: ToolNames): PluginParts => ({
  ...loaded,
  hooks: (own) => withPluginHooks(own, loaded.plugins),
  languages: pluginLanguages(loaded.plugins),
  servers: pluginServers(loaded.plugins),
  skills: pluginSkills(loaded.plugins),
  rules: pluginRules(loaded.plugins, names),
});

function withPluginHooks(
  hooks: HooksSettings | undefined,
  plugins: readonly LoadedPlugin[],
): HooksSettings | undefined {
  const all: Record<string, unknown> = { ...hooks };
  for (const { contents } of plugins)
    for (const [event, groups] of Object.entries(contents.hooks)) {
      if (!Array.isArray(groups)) continue;
      all[event] = [...(Array.isArray(all[event]) ? (all[event] as unknown[]) : []), ...groups];
    }
  return Object.keys(all).length === 0 ? hooks : (all as HooksSettings);
}

/** The MCP servers of plugins, with the names that Claude Code gives them. The server of a bundle has the bundle's name. */
export const pluginServers = (plugins: readonly LoadedPlugin[]): readonly McpServer[] =>
  plugins.flatMap(({ contents, installed: { name: plugin, unconfined } }) =>
    Object.entries(contents.mcpServers).map(([name, server]) => ({
      ...server,
      ...(contents.format === "mcpb" && !unconfined ? { sandbox: true } : {}),
      name: contents.format === "mcpb" ? plugin : `plugin_${plugin}_${name}`,
      origin: "user" as const,
    })),
  );

/** The language servers of plugins, by names of their own. */
const pluginLanguages = (plugins: readonly LoadedPlugin[]): Readonly<Record<string, LanguageServerSettings>> =>
  Object.fromEntries(
    plugins.flatMap(({ contents, installed: { name: plugin } }) =>
      Object.entries(contents.lspServers).map(([name, server]) => [`plugin_${plugin}_${name}`, server]),
    ),
  );

/** The folders with skills and commands of plugins; their names are `plugin:name`. */
const pluginSkills = (plugins: readonly LoadedPlugin[]): readonly SkillRoot[] =>
  plugins.flatMap(({ contents, installed: { name, folder }, answers }) => {
    const common = { source: name, prefix: name, within: folder, answers };
    return [
      ...contents.skillFolders.map((place) => ({ ...common, folder: place })),
      ...contents.commandFolders.map((place) => ({ ...common, folder: place, files: true as const })),
    ];
  });

/** The tools that plugins want to be absent, as deny rules. A plugin can only tighten. */
const pluginRules = (plugins: readonly LoadedPlugin[], names: ToolNames): readonly RuleSource[] =>
  plugins
    .flatMap(({ contents }) => contents.excluded)
    .filter((text) => !("problem" in parseRule(text, "deny", names)))
    .map((text): RuleSource => ({ behavior: "deny", origin: "user", text }));
