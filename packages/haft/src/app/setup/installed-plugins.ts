import type { HooksSettings, RuleSource, SettingsProblem, ToolNames } from "@haft/core/policy";
import { parseRule } from "@haft/core/policy";
import type { McpServer } from "@haft/mcp";
import {
  changedSince,
  type InstalledPlugin,
  type PluginContents,
  placed,
  pluginStore,
  readContents,
  type SkillRoot,
} from "@haft/plugins";
import type { StateFolder } from "@haft/service";

/** A plugin of the user whose files are those that they agreed to. */
export interface LoadedPlugin {
  readonly installed: InstalledPlugin;
  readonly contents: PluginContents;
}

/** The plugins of the user, and why some are left out. */
export interface LoadedPlugins {
  readonly plugins: readonly LoadedPlugin[];
  readonly problems: readonly SettingsProblem[];
}

/** Reads the installed plugins. Starts nothing. */
export function loadPlugins(state: StateFolder | undefined): LoadedPlugins {
  if (!state) return { plugins: [], problems: [] };
  const problems: SettingsProblem[] = [];
  const report = (file: string, message: string, cure: string): void =>
    void problems.push({ severity: "warning", file, path: ["plugins"], message, cure });
  const store = pluginStore(state.root);
  let list: readonly InstalledPlugin[] = [];
  try {
    list = store.list();
  } catch (thrown) {
    report(store.root, (thrown as Error).message, "Correct or remove it.");
  }
  const plugins = list.flatMap((installed): LoadedPlugin[] => {
    const { name, folder } = installed;
    const changed = changedSince(installed);
    if (changed !== undefined) {
      report(
        folder,
        changed,
        `\`haft plugin update ${name}\` shows what is different; \`haft plugin remove ${name}\` removes it.`,
      );
      return [];
    }
    try {
      return [{ installed, contents: readContents(folder, name) }];
    } catch (thrown) {
      report(
        folder,
        `The plugin ${name} is left out: ${(thrown as Error).message}`,
        `Run \`haft plugin remove ${name}\`.`,
      );
      return [];
    }
  });
  return { plugins, problems };
}

/** The hooks of the settings, followed by those of plugins. A plugin's hooks find its folder in their environment. */
export function withPluginHooks(
  hooks: HooksSettings | undefined,
  plugins: readonly LoadedPlugin[],
): HooksSettings | undefined {
  const all: Record<string, unknown> = { ...hooks };
  for (const { contents, installed } of plugins)
    for (const [event, groups] of Object.entries(contents.hooks)) {
      if (!Array.isArray(groups)) continue;
      const before = Array.isArray(all[event]) ? (all[event] as unknown[]) : [];
      all[event] = [
        ...before,
        ...(groups as readonly HookGroup[]).map((group) => ({
          ...group,
          hooks: group.hooks.map((hook) => hookIn(hook, installed.folder)),
        })),
      ];
    }
  return Object.keys(all).length === 0 ? hooks : (all as HooksSettings);
}

type HookGroup = { readonly hooks: readonly Hook[] };
type Hook = { readonly command?: unknown; readonly args?: unknown };

const hookIn = <H extends Hook>(hook: H, folder: string): H => {
  const { command, args } = hook;
  if (typeof command !== "string") return hook;
  if (Array.isArray(args))
    return { ...hook, command: placed(command, folder), args: args.map((word) => placed(String(word), folder)) };
  return { ...hook, command: `${placeVariables(folder)}${command}` };
};

/** Sets the variables by which a plugin's commands find its folder. */
export const placeVariables = (folder: string): string => {
  const quoted = `'${folder.replaceAll("'", "'\\''")}'`;
  return `export CLAUDE_PLUGIN_ROOT=${quoted} PLUGIN_ROOT=${quoted} extensionPath=${quoted}; `;
};

/** The MCP servers of plugins, with the names that Claude Code gives them. */
export const pluginServers = (plugins: readonly LoadedPlugin[]): readonly McpServer[] =>
  plugins.flatMap(({ contents, installed }) =>
    Object.entries(contents.mcpServers).map(([name, server]) => ({
      ...server,
      name: `plugin_${installed.name}_${name}`,
      origin: "user" as const,
    })),
  );

/** The folders with skills and commands of plugins; their names are `plugin:name`. */
export const pluginSkills = (plugins: readonly LoadedPlugin[]): readonly SkillRoot[] =>
  plugins.flatMap(({ contents, installed: { name, folder } }) => {
    const common = { source: name, prefix: name, within: folder };
    return [
      ...contents.skillFolders.map((place) => ({ ...common, folder: place })),
      ...contents.commandFolders.map((place) => ({ ...common, folder: place, files: true as const })),
    ];
  });

/** The tools that plugins want to be absent, as deny rules. A plugin can only tighten. */
export const pluginRules = (plugins: readonly LoadedPlugin[], names: ToolNames): readonly RuleSource[] =>
  plugins
    .flatMap(({ contents }) => contents.excluded)
    .filter((text) => !("problem" in parseRule(text, "deny", names)))
    .map((text): RuleSource => ({ behavior: "deny", origin: "user", text }));
