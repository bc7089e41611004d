import type { SettingsProblem, ToolNames } from "@haft/core/policy";
import {
  changedSince,
  configured,
  type InstalledPlugin,
  missingOptions,
  openAnswers,
  pluginStore,
  readContents,
  withDefaults,
} from "@haft/plugins";
import type { StateFolder } from "@haft/service";
import { type LoadedPlugin, type LoadedPlugins, type PluginParts, pluginParts } from "./installed-plugins.ts";

/** The parts that the installed plugins bring. Starts nothing. */
export const loadPluginParts = (state: StateFolder, names: ToolNames): PluginParts =>
  pluginParts(loadPlugins(state), names);

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
      const contents = readContents(folder, name);
      const values = withDefaults(contents.options, store.answers(name));
      const missing = missingOptions(contents.options, values).map(({ key }) => key);
      if (missing.length > 0)
        report(
          folder,
          `The servers of the plugin ${name} are disabled: ${missing.join(", ")} is not set.`,
          `Run \`haft plugin configure ${name} --config ${missing[0]}=VALUE\`.`,
        );
      const open = Object.entries(openAnswers(contents.options, values));
      return [
        {
          installed,
          contents: configured(contents, values, folder),
          answers: Object.fromEntries(open.map(([key, value]) => [key, String(value)])),
        },
      ];
    } catch (thrown) {
      report(
        folder,
        `The plugin ${name} is disabled: ${(thrown as Error).message}`,
        `Run \`haft plugin remove ${name}\`.`,
      );
      return [];
    }
  });
  return { plugins, problems };
}
